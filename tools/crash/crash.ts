import { renderOptionProblem } from "../../src/command/option-problem.ts";
import { type CrashCommand, known, parseCrashOptions, usage } from "./crash-options.ts";
import { runCrashes } from "./run-crashes.ts";

/** `trainyard crash`: kills the service at every boundary of a durable effect. Returns the exit code. */
export async function crash(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  let options: CrashCommand;
  try {
    options = parseCrashOptions(argv);
  } catch (error) {
    console.error(renderOptionProblem(error, "crash", Object.keys(known)));
    return 2;
  }
  const result = await runCrashes({ ...options, progress: (text) => console.error(text) });
  if (options.json) console.log(JSON.stringify(result));
  console.error(`${result.kills} kills; ${result.violations.length} violations.`);
  return result.violations.length === 0 ? 0 : 1;
}
