import { readOptions } from "../command/read-options.ts";
import { known, parseCrashOptions, usage } from "./crash-options.ts";
import { runCrashes } from "./run-crashes.ts";

/** `trainyard crash`: kills the service at every boundary of a durable effect. Returns the exit code. */
export async function crash(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "crash", usage, known, parse: parseCrashOptions });
  if (typeof options === "number") return options;
  const result = await runCrashes({ ...options, progress: (text) => console.error(text) });
  if (options.json) console.log(JSON.stringify(result));
  console.error(`${result.kills} kills; ${result.violations.length} violations.`);
  return result.violations.length === 0 ? 0 : 1;
}
