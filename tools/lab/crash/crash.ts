import { readOptions } from "../../command-options.ts";
import { known, parseCrashOptions, usage } from "./crash-options.ts";
import { runCrashes } from "./run-crashes.ts";
import { runSimulatedCrashes } from "./run-simulated-crashes.ts";

/** `trainyard crash`: kills the service at every boundary of a durable effect. Returns the exit code. */
export async function crash(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "crash", usage, known, parse: parseCrashOptions });
  if (typeof options === "number") return options;
  const { simulatedReplicas: replicas } = options;
  const progress = (text: string) => console.error(text);
  const result =
    replicas === null
      ? await runCrashes({ ...options, progress })
      : await runSimulatedCrashes({ ...options, replicas, progress });
  if (options.json) console.log(JSON.stringify(result));
  const runs = options.events.every((event) => event === "kill") ? "kills" : "runs";
  console.error(`${result.kills} ${runs}; ${result.violations.length} violations.`);
  return result.violations.length === 0 ? 0 : 1;
}
