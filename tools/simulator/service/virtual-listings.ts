import type { PullRequestFacts } from "../../../src/engine/model/entry.ts";
import type { ListedPullRequest } from "../../../src/ports/code-host/code-host.ts";
import { pullRequests } from "../soak/scenario.ts";
import type { Past } from "./past.ts";
import type { VirtualAutoMerge } from "./virtual-auto-merge.ts";
import type { VirtualLabels } from "./virtual-labels.ts";

interface ListedHost {
  readonly labels: VirtualLabels;
  readonly autoMerge: VirtualAutoMerge;
  readonly facts: (pr: number) => PullRequestFacts;
}

/** Lists of pull requests, as they are and as they were. */
export class VirtualListings {
  readonly #past: Past;
  readonly #host: ListedHost;

  constructor(past: Past, host: ListedHost) {
    this.#past = past;
    this.#host = host;
  }

  /** Records how a pull request is listed from now on. */
  record(pr: number, now: number): void {
    this.#past.record(`listed ${pr}`, now, this.#listed(pr));
  }

  /** The open pull requests of a base branch at a time. */
  open(base: string, at: number): ListedPullRequest[] {
    return Array.from({ length: pullRequests }, (_, index) => {
      const pr = index + 1;
      return this.#past.at(`listed ${pr}`, at, this.#listed(pr));
    }).flatMap(({ state, ...one }) => (state === "open" && one.baseBranch === base ? [one] : []));
  }

  #listed(pr: number) {
    const { labels, autoMerge } = this.#host;
    const { number, state, headSha, baseBranch, draft, updatedAt = 0 } = this.#host.facts(pr);
    const [named, autoMergeBy] = [labels.of(pr), autoMerge.by(pr)];
    return { number, state, headSha, baseBranch, draft, updatedAt, labels: named, autoMergeBy };
  }
}
