import type { CreateDetector } from "./detector.ts";
import type { FlakyHistory } from "./upload.ts";

/** How good a rule is on one or several histories. Shares as fractions of 1; null = there was nothing to share. */
export interface Evaluation {
  /** Of the tests that were taken for flaky, those that are. */
  readonly precision: number | null;
  /** Of the flaky tests that failed at all, those that were found. */
  readonly recall: number | null;
  /** Of the flaky failures, those of tests that were found in the end. */
  readonly covered: number | null;
  /** Of the flaky failures, those that came after the test had been found: what quarantine would have forgiven. */
  readonly forgiven: number | null;
  /** Failures for nothing until a test was found: the median over the found ones. */
  readonly failuresBefore: number | null;
}

export function evaluate(createDetector: CreateDetector, histories: readonly FlakyHistory[]): Evaluation {
  const before: number[] = [];
  let [flagged, right, failing, recalled, flakes, covered, forgiven] = [0, 0, 0, 0, 0, 0, 0];
  for (const history of histories) {
    const detector = createDetector(history.tests);
    for (const upload of history.uploads) detector.see(upload);
    const found = [...detector.flagged.keys()].filter((test) => history.flaky.has(test));
    flagged += detector.flagged.size;
    right += found.length;
    const flaked = new Set(history.flakes.map(({ test }) => test));
    failing += flaked.size;
    recalled += found.filter((test) => flaked.has(test)).length;
    flakes += history.flakes.length;
    const earlier = new Map(found.map((test) => [test, 0]));
    for (const { test, at } of history.flakes) {
      const since = detector.flagged.get(test);
      if (since === undefined) continue;
      covered += 1;
      if (at > since) forgiven += 1;
      else earlier.set(test, (earlier.get(test) ?? 0) + 1);
    }
    before.push(...earlier.values());
  }
  return {
    precision: share(right, flagged),
    recall: share(recalled, failing),
    covered: share(covered, flakes),
    forgiven: share(forgiven, flakes),
    failuresBefore: before.toSorted((a, b) => a - b)[Math.floor(before.length / 2)] ?? null,
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
