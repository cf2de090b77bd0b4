import { constants } from "node:os";
import { join } from "node:path";
import { runVisibly } from "../child-process.ts";
import type { StepContext } from "../step.ts";
import type { UploadTestsInputs } from "./read-inputs.ts";

/** How the tests ran. */
export interface TestsRun {
  /** The exit code of the step if no failure is forgiven. */
  readonly exitCode: number;
  /** Older reports belong to an earlier run; in milliseconds since the epoch. Null = unknown. */
  readonly since: number | null;
}

/** The options of bash for a workflow's `shell: bash`. */
const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
/** The precision of file times may be as low as this. */
const toleranceMs = 1_000;

/** Runs the tests, or returns how the step that ran them ended; null when they did not run to their end. */
export async function runTests(
  { tests, workingDirectory }: UploadTestsInputs,
  { workflow, env, signal, clock }: StepContext,
): Promise<TestsRun | null> {
  if ("outcome" in tests) {
    if (tests.outcome !== "success" && tests.outcome !== "failure") return null;
    return { exitCode: tests.outcome === "success" ? 0 : 1, since: null };
  }
  const since = clock.now() - toleranceMs;
  const cwd = join(workflow.workspace, workingDirectory);
  const program = { file: "bash", label: "run", args: [...bash, tests.run], cwd, env, signal };
  const { code, signal: killedBy } = await runVisibly(program);
  // The exit code that a shell reports for a program that a signal ended.
  const exitCode = code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
  return signal.aborted ? null : { exitCode, since };
}
