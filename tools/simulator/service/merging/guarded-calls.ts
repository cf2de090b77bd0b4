import type { PullRequestFacts } from "../../../../src/engine/model/pull-request-facts.ts";
import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { type CodeHost, treeOf } from "../../soak/code-host.ts";
import type { Past } from "../past.ts";
import type { VirtualCalls } from "../virtual-calls.ts";
import type { VirtualRepository } from "../virtual-repository.ts";
import type { MergeEffects } from "./merge-effects.ts";
import { asOctokit } from "./octokit-errors.ts";

export interface GuardedCallsParts {
  readonly model: CodeHost;
  readonly repository: VirtualRepository;
  readonly calls: VirtualCalls;
  readonly past: Past;
  readonly now: () => number;
  readonly facts: (pr: number) => PullRequestFacts;
  readonly effects: MergeEffects;
}

/**
 * Calls through an installation: what it does not reach, GitHub refuses, with Octokit's errors. Readings may show what was true some
 * seconds ago.
 */
export class GuardedCalls {
  readonly #parts: GuardedCallsParts;
  readonly #repo: InstalledRepository;
  /** The tips that were read, by the names of their branches. */
  readonly seen = new Map<string, string>();

  constructor(parts: GuardedCallsParts, repo: InstalledRepository) {
    this.#parts = parts;
    this.#repo = repo;
  }

  read<T>(name: string, answer: () => T): Promise<T> {
    return asOctokitDoes(() => this.#parts.calls.read(name, () => this.#guarded(false, answer)));
  }

  change<T>(name: string, effect: () => T): Promise<T> {
    return asOctokitDoes(() => this.#parts.calls.change(name, () => this.#guarded(true, effect)));
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

  #guarded<T>(isChange: boolean, answer: () => T): T {
    const refusal = this.#parts.repository.refusalOf(this.#repo, isChange);
    if (refusal) throw refusal;
    return answer();
  }
}

async function asOctokitDoes<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asOctokit(error);
  }
}
