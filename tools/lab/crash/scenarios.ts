import type { RequestOf } from "../../../src/client/client.ts";
import type { SmallRepository } from "../small-repository.ts";

/** A short course of events, which ends in the same way each time it is undisturbed. */
export interface CrashScenario {
  readonly queue: Partial<RequestOf<"createQueue">>;
  readonly ciDurationMs: readonly [number, number];
  /** Opens the pull requests, before the service can be killed. */
  prepare(repository: SmallRepository): Promise<readonly number[]>;
  play(repository: SmallRepository, prs: readonly number[]): Promise<void>;
}

const good = "{}\n";
/** Passes on its own head, and fails on top of `forbidding`. */
const forbidden = '{"sets": ["legacy"]}\n';
const forbidding = '{"forbids": ["legacy"]}\n';
const merge = "/trainyard merge";

/** Returns a function that opens pull requests with these contents, each in its own file. */
const opening =
  (...contents: readonly string[]) =>
  async (repository: SmallRepository): Promise<number[]> => {
    const prs: number[] = [];
    for (const [index, content] of contents.entries())
      prs.push(await repository.open(`Change ${index + 1}`, `facts/change-${index + 1}.json`, content));
    if (contents.includes(forbidden)) await repository.commitToMain("facts/base.json", forbidding);
    return prs;
  };

const mergeAll = async (repository: SmallRepository, prs: readonly number[]): Promise<void> => {
  for (const pr of prs) await repository.comment(pr, merge);
};

export const scenarios = {
  merge: {
    queue: { mergeMethod: "merge_commit" },
    ciDurationMs: [20, 40],
    prepare: opening(good),
    play: mergeAll,
  },
  squash: {
    queue: { mergeMethod: "squash", concurrency: 2 },
    ciDurationMs: [40, 60],
    prepare: opening(good, good),
    play: mergeAll,
  },
  failure: {
    queue: { mergeMethod: "merge_commit", concurrency: 3 },
    ciDurationMs: [60, 90],
    prepare: opening(forbidden, good),
    play: mergeAll,
  },
  batch: {
    // Paused until both wait, so that they are tested together. A batch that is sized by load never waits to become full.
    queue: {
      mergeMethod: "merge_commit",
      concurrency: 1,
      batch: true,
      batchSizing: "by_load",
      state: "paused",
    },
    ciDurationMs: [30, 50],
    prepare: opening(good, forbidden),
    async play(repository, prs) {
      await mergeAll(repository, prs);
      for (const pr of prs) await repository.until(pr, "pending");
      await repository.resume();
    },
  },
  cancel: {
    queue: { mergeMethod: "merge_commit", concurrency: 1 },
    ciDurationMs: [20, 40],
    prepare: opening(good, good),
    async play(repository, [first = 0, second = 0]) {
      // The tests end after the command, however long the service is killed.
      const release = repository.holdTests();
      // Prevents that the other pull request is tested first.
      await mergeAll(repository, [first]);
      await repository.until(first, "testing");
      await mergeAll(repository, [second]);
      await repository.comment(first, "/trainyard cancel");
      await repository.until(first, "cancelled");
      release();
    },
  },
} as const satisfies Record<string, CrashScenario>;

export type ScenarioName = keyof typeof scenarios;

export const scenarioNames = Object.keys(scenarios) as ScenarioName[];
