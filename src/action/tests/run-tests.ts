import { constants } from "node:os";
import { join } from "node:path";
import { runVisibly } from "../child-process.ts";
import type { Surroundings } from "../step.ts";
import type { UploadTestsInputs } from "./read-inputs.ts";

/** How the tests were run. */
export interface TestsRun {
  /** What the step would end with if nothing were forgiven. */
  readonly exitCode: number;
  /** Reports that are older are of an earlier run, in milliseconds since the epoch; null = that is not known. */
  readonly since: number | null;
}

/** Bash as `shell: bash` of a workflow runs it. */
const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c"];
/** File systems tell times no more precisely than this. */
const toleranceMs = 1_000;

/** Runs the tests, or tells how the step ended that has; null when they were not run to their end. */
export async function runTests(
  { tests, workingDirectory }: UploadTestsInputs,
  { workflow, env, signal, clock }: Surroundings,
): Promise<TestsRun | null> {
  if ("outcome" in tests) {
    if (tests.outcome !== "success" && tests.outcome !== "failure") return null;
    return { exitCode: tests.outcome === "success" ? 0 : 1, since: null };
  }
  const since = clock.now() - toleranceMs;
  const cwd = join(workflow.workspace, workingDirectory);
  const program = { file: "bash", label: "run", args: [...bash, tests.run], cwd, env, signal };
  const { code, signal: killedBy } = await runVisibly(program);
  // As a shell says it of what a signal has ended.
  const exitCode = code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
  return signal.aborted ? null : { exitCode, since };
}
