import type { FoundComment, Reaction } from "../../../src/ports/code-host/pull-requests.ts";

/** A comment of a person. Times are whole seconds, as the code host's are. */
export interface PersonsComment {
  readonly id: number;
  readonly nodeId: string;
  readonly pr: number;
  readonly body: string;
  /** In milliseconds since the epoch. */
  readonly at: number;
}

export const alice = { kind: "user", name: "alice" } as const;
export const aliceId = 1;

/** What people say on pull requests, and the reactions of the service. */
export class VirtualComments {
  readonly #all: PersonsComment[] = [];
  readonly #reactions = new Map<string, Set<Reaction>>();

  post(pr: number, body: string, now: number): PersonsComment {
    const id = this.#all.length + 1;
    const comment = { id, nodeId: `comment-${id}`, pr, body, at: wholeSecond(now) };
    this.#all.push(comment);
    return comment;
  }

  react(nodeId: string, reaction: Reaction): void {
    const known = this.#reactions.get(nodeId) ?? new Set<Reaction>();
    this.#reactions.set(nodeId, known.add(reaction));
  }

  reactionsTo({ nodeId }: PersonsComment): ReadonlySet<Reaction> {
    return this.#reactions.get(nodeId) ?? new Set();
  }

  all(): readonly PersonsComment[] {
    return this.#all;
  }

  /** The comments of a period, oldest first. */
  list(since: number, until: number): readonly FoundComment[] {
    return this.#all
      .filter(({ at }) => at >= since && at <= until)
      .map(({ id, nodeId, pr, body, at }) => ({
        ...{ id, nodeId, issue: pr, onPullRequest: true, body, createdAt: at, updatedAt: at },
        ...{ authorLogin: alice.name, authorIsBot: false, authorId: aliceId, viaAppId: null },
      }));
  }
}

/** The code host states times in whole seconds. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}
