import type { PullRequestFacts } from "../../../src/engine/model/entry.ts";
import type { Objection } from "../../../src/engine/reasons/objection.ts";
import type { PlannedPullRequest } from "./service-plan.ts";

const none = { open: [], closed: [], elsewhere: [], absent: [], cycle: [] } as const;

/** What the descriptions of pull requests say that they depend on. */
export class VirtualDependencies {
  readonly #dependencies: ReadonlyMap<number, number>;
  readonly #read: (pr: number) => PullRequestFacts;

  /** @param read reads a pull request in the model */
  constructor(pullRequests: readonly PlannedPullRequest[], read: (pr: number) => PullRequestFacts) {
    this.#dependencies = new Map(
      pullRequests.flatMap(({ number, dependsOn }) => (dependsOn === null ? [] : [[number, dependsOn]])),
    );
    this.#read = read;
  }

  /** The pull request that one depends on; null = none. */
  of(pr: number): number | null {
    return this.#dependencies.get(pr) ?? null;
  }

  /** The pull requests that depend on one. */
  on(pr: number): readonly number[] {
    return [...this.#dependencies].flatMap(([number, dependency]) => (dependency === pr ? [number] : []));
  }

  /** What an open pull request still waits for. */
  unmet({ number, state, baseBranch }: PullRequestFacts): readonly Objection[] {
    const on = this.#dependencies.get(number);
    if (on === undefined || state !== "open") return [];
    const found = this.#read(on);
    const kind = found.state === "merged" ? "elsewhere" : found.state;
    if (kind === "elsewhere" && found.baseBranch === baseBranch) return [];
    return [{ code: "DEPENDS_ON", ...none, [kind]: [on] }];
  }
}
