/** A rule that processes a history, marks tests as flaky, and forgives their failures. */
export interface FlakyRule {
  /** Returns the tests whose failures it would forgive if this were the next upload. */
  readonly forgiven: (upload: SimulatedUpload) => ReadonlySet<number>;
  readonly see: (upload: SimulatedUpload) => void | Promise<void>;
  /** When each test was first marked as flaky, for all pull requests and branches. */
  readonly flagged: ReadonlyMap<number, number>;
}

/** `names`: all test numbers are below this. */
export type CreateRule = (names: number, tests: number) => FlakyRule;

/** One run of all tests, or of the tests of one leg. Tests that are not listed have passed. */
export interface SimulatedUpload {
  /** In milliseconds from the start. */
  readonly at: number;
  readonly kind: "pr" | "stable" | "queue";
  readonly pr: number;
  readonly branch: string;
  /** The stable branch that it belongs to or targets. */
  readonly line: string;
  readonly head: string;
  readonly tree: string;
  /** The commits that are on no stable branch and whose parents are. */
  readonly changes: readonly string[];
  readonly runId: string;
  /** Counts from 1. */
  readonly attempt: number;
  readonly failed: readonly SimulatedFailure[];
  /** Its tests have the numbers from this times the number of tests on. Absent = 0. */
  readonly variant?: number;
  /** Tests that have their new name. Absent = none. */
  readonly renamed?: ReadonlySet<number>;
}

export interface SimulatedFailure {
  readonly test: number;
  /** The failure message. */
  readonly message: string;
  /**
   * The true cause. `flaky`: none. `real`: a change or a machine breaks the test, always or sometimes. `outage`: many tests
   * failed at once.
   */
  readonly cause: "flaky" | "real" | "outage";
  /** Whether another case with the same name passed after it. */
  readonly hasPassingTwin: boolean;
  /** Whether the same run repeated the test, and it passed. Such a failure needs no forgiveness. Absent = not. */
  readonly passedOnRetry?: true;
}

/** A repository's uploads in chronological order, and the truth about its tests. */
export interface SimulatedHistory {
  readonly tests: number;
  /** All test numbers are below this. A renamed test gets another number, and so does a test in another variant. */
  readonly names: number;
  readonly uploads: readonly SimulatedUpload[];
  /** Tests that sometimes fail without cause. */
  readonly flaky: ReadonlySet<number>;
  /** Flaky tests that always fail from some time on. */
  readonly broken: ReadonlySet<number>;
}

/** Watches uploads for one sign of trouble, and keeps the tests that show it. */
export interface Monitor {
  readonly see: (upload: SimulatedUpload) => void;
  /** The tests that the monitor marks at this time, given the uploads so far. */
  readonly active: (at: number) => Tests;
}

/** Numbers of tests: a set, or a map with these numbers as keys. */
type Tests = Pick<ReadonlySet<number>, "has" | "keys">;

/** Forgives the tests that one monitor marks as flaky and no monitor marks as broken. */
export function forgiveFlaky(flaky: readonly Monitor[], broken: readonly Monitor[] = []): FlakyRule {
  const flagged = new Map<number, number>();
  const isHeld = (monitors: readonly Monitor[], test: number, at: number) =>
    monitors.some(({ active }) => active(at).has(test));
  const isForgiven = (test: number, at: number) => isHeld(flaky, test, at) && !isHeld(broken, test, at);
  return {
    flagged,
    forgiven: ({ at, failed }) =>
      new Set(failed.map(({ test }) => test).filter((test) => isForgiven(test, at))),
    see: (upload) => {
      for (const monitor of [...flaky, ...broken]) monitor.see(upload);
      for (const { active } of flaky)
        for (const test of active(upload.at).keys())
          if (!flagged.has(test) && isForgiven(test, upload.at)) flagged.set(test, upload.at);
    },
  };
}

/**
 * Returns a function that finds the tests for which an upload is the first to show both a failure and a pass of one commit (or
 * tree). Each test is found once for each commit.
 */
export function watchRetries(of: "head" | "tree"): (upload: SimulatedUpload) => ReadonlySet<number> {
  const seen = new Map<string, { readonly uploads: SimulatedUpload[]; readonly found: Set<number> }>();
  return (upload) => {
    const key = `${upload[of]} ${upload.variant ?? 0}`;
    const { uploads, found } = seen.get(key) ?? { uploads: [], found: new Set<number>() };
    seen.set(key, { uploads, found });
    // Two cases with the same name, of which the second passes, count as one test that fails and passes.
    const inItself = upload.failed
      .filter(({ hasPassingTwin, passedOnRetry }) => hasPassingTwin || passedOnRetry)
      .map(({ test }) => test);
    const differing = uploads.flatMap((one) => [...failedIn(one).symmetricDifference(failedIn(upload))]);
    uploads.push(upload);
    const isNew = new Set([...inItself, ...differing]).difference(found);
    for (const test of isNew) found.add(test);
    return isNew;
  };
}

export function failedIn({ failed }: SimulatedUpload): ReadonlySet<number> {
  return new Set(failed.map(({ test }) => test));
}

/** Whether the upload has this name of a test, in this variant. A renamed test runs under only one of its names. */
export function hasRun({ variant, renamed }: SimulatedUpload, test: number, tests: number): boolean {
  return Math.floor(test / tests) === (variant ?? (renamed?.has(test % tests) ? 1 : 0));
}

export function isOfMain({ kind, line }: SimulatedUpload): boolean {
  return kind === "stable" && line === "main";
}

export function isOfQueue({ kind }: SimulatedUpload): boolean {
  return kind === "queue";
}
