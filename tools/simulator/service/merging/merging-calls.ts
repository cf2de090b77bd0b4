import type { PullRequestFacts } from "../../../../src/engine/model/entry.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { type CodeHost, treeOf } from "../../soak/code-host.ts";
import { OctokitCalls, type OctokitCallsParts } from "../octokit/octokit-calls.ts";
import type { Past } from "../past.ts";
import type { MergeEffects } from "./merge-effects.ts";

export interface MergingCallsParts extends OctokitCallsParts {
  readonly model: CodeHost;
  readonly past: Past;
  readonly now: () => number;
  readonly facts: (pr: number) => PullRequestFacts;
  readonly effects: MergeEffects;
}

/** Readings of branches and pull requests. They may show what was true some seconds ago. */
export class MergingCalls extends OctokitCalls {
  readonly #parts: MergingCallsParts;
  /** The tips that were read, by the names of their branches. */
  readonly seen = new Map<string, string>();
  /** The pull requests whose last answer showed that they have what the rules demand of people, completely. */
  readonly approved = new Set<number>();

  constructor(parts: MergingCallsParts, repo: InstalledRepository) {
    super(parts, repo);
    this.#parts = parts;
  }

  /** The tip of a branch; null = there is no such branch. */
  async readTip(name: string): Promise<string | null> {
    const { past, now, effects, repository, calls } = this.#parts;
    const behindMs = calls.drawLag();
    const sha = await this.read("readTip", () => {
      const current = effects.tipOf(name);
      const base = repository.baseNamed(name);
      return base === null || behindMs === 0 ? current : past.at(base, now() - behindMs, current);
    });
    if (sha !== null) this.seen.set(name, sha);
    return sha;
  }

  /** Pull requests, as they were at one moment. */
  readPulls(prs: readonly number[]): Promise<readonly PullRequestFacts[]> {
    const { past, now, facts, calls } = this.#parts;
    const behindMs = calls.drawLag();
    const shown = (pr: number) =>
      behindMs === 0 ? facts(pr) : past.at(`pull ${pr}`, now() - behindMs, facts(pr));
    return this.read("readPulls", () => prs.map(shown));
  }

  treeOf(sha: string): string {
    return treeOf(this.#parts.model.contentOf(sha));
  }
}
