import type { InputReader } from "../input-reader.ts";
import type { CommonInputs } from "../inputs.ts";

export interface UploadTestsInputs extends CommonInputs {
  readonly command: "upload-tests";
  /** Globs of JUnit reports, relative to the working directory. */
  readonly junitPaths: readonly string[];
  /** The command that runs the tests, or the outcome of the earlier step that ran them. */
  readonly tests: { readonly run: string } | { readonly outcome: StepOutcome };
  /** Relative to the top of the checkout. */
  readonly workingDirectory: string;
  /** The name of the job's check; null = ask GitHub. */
  readonly job: string | null;
  /** The id of the job's check run; null if the runner does not provide it. */
  readonly checkRunId: string | null;
  /** The value of `toJSON(matrix)`; null = the job has no matrix. */
  readonly matrix: unknown;
  /** Separates runs of one job that are not comparable; null = derived from the runner's system and the matrix. */
  readonly variant: string | null;
  /** False: failures of quarantined tests count. */
  readonly quarantine: boolean;
  /** The maximum time to wait for other shards; 0 = the step does not wait. */
  readonly waitForShardsMs: number;
  /** The prefix of the queue's test branches. */
  readonly testBranchPrefix: string;
  /** Globs of stable branches; empty = the default branch. */
  readonly stableBranches: readonly string[];
  /** Replaces the event's information about what was tested, as `headSha` and `kind` do; null = as the event says. */
  readonly headBranch: string | null;
  readonly headSha: string | null;
  readonly kind: TestKind | null;
}

/** The outcome of an earlier step, as in `steps.<id>.outcome`. */
type StepOutcome = (typeof stepOutcomes)[number];
export type TestKind = (typeof kinds)[number];

const stepOutcomes = ["success", "failure", "cancelled", "skipped"] as const;
const kinds = ["pr", "stable", "queue", "unknown"] as const;

/** The service's limits. */
const longestVariant = 64;
const longestJob = 255;

const defaultWaitMinutes = 10;
/** GitHub's own runners end a job after 6 hours. */
const longestWaitMinutes = 360;

export function readUploadTests(reader: InputReader, common: CommonInputs): UploadTestsInputs {
  const junitPaths = reader.globs("junit-paths");
  if (junitPaths.length === 0) reader.fault("junit-paths", "is missing; give globs of the JUnit reports");
  return {
    ...common,
    command: "upload-tests",
    junitPaths,
    tests: readTests(reader),
    workingDirectory: reader.directory("working-directory"),
    job: reader.text("job", longestJob),
    checkRunId: reader.text("check-run-id"),
    matrix: reader.json("matrix"),
    variant: reader.text("variant", longestVariant),
    quarantine: reader.text("quarantine") === null || reader.boolean("quarantine"),
    waitForShardsMs: reader.minutes("wait-for-shards", defaultWaitMinutes, longestWaitMinutes, true) * 60_000,
    testBranchPrefix: reader.testBranchPrefix(),
    stableBranches: reader.globs("stable-branches"),
    headBranch: reader.text("head-branch"),
    headSha: reader.sha("head-sha"),
    kind: reader.text("kind") === null ? null : reader.oneOf("kind", kinds, null),
  };
}

function readTests(reader: InputReader): UploadTestsInputs["tests"] {
  const run = reader.text("run");
  const hasOutcome = reader.text("previous-step-outcome") !== null;
  if ((run !== null) === hasOutcome) {
    const problem = run === null ? "is missing" : "is set together with previous-step-outcome";
    reader.fault(
      "run",
      `${problem}; give the command that runs the tests, or the outcome of the step that ran them`,
    );
  }
  if (run !== null || !hasOutcome) return { run: run ?? "" };
  return { outcome: reader.oneOf("previous-step-outcome", stepOutcomes, null) ?? "failure" };
}
