import { createHash } from "node:crypto";
import type { Caller } from "../auth/caller.ts";
import type { Faults } from "../faults/faults.ts";
import type { Strike } from "../faults/strike.ts";
import type { Past } from "../world/past.ts";
import type { Repository } from "../world/repository.ts";
import { type ApiVersion, inVersion } from "./api-version.ts";
import { Refusal } from "./refusal.ts";

export interface Answer {
  status: number;
  body?: unknown;
  raw?: Buffer;
  mediaType?: string;
  headers?: Record<string, string>;
}

interface Shown {
  readonly past: Past;
  /** What the caller has already. */
  readonly etag: string | undefined;
  readonly version: ApiVersion | null;
  /** Answers with another state of the repository. */
  readonly at: (then: Repository) => Promise<Answer> | Answer;
  /** What is true now. */
  readonly present: Answer;
}

export const etagOf = (content: Buffer | string): string =>
  `W/"${createHash("sha256").update(content).digest("hex")}"`;

/** What hits a merge since its base was changed a moment ago; null: nothing. */
export function strikeMerge(
  faults: Faults,
  caller: Caller,
  { pulls, git }: Repository,
  pull: number | null,
): Strike | null {
  const ref = `refs/heads/${pulls.get(pull ?? 0)?.base.ref}`;
  return faults.strikeMerge(caller.kind, ref, git.refs.changedAt(ref));
}

/** The answer of a while ago, if it is a fault to give that and it was another one. Null: it is not. */
export async function answerFromPast(
  repository: Repository,
  strike: Strike | null,
  { past, etag, version, at, present }: Shown,
): Promise<Answer | null> {
  const staleMs = strike?.ageMs("stale") ?? null;
  const age = staleMs ?? strike?.ageMs("lagging_etag") ?? null;
  if (strike === null || age === null) return null;
  const ask = async () => at(past.repositoryAt(repository, Date.now() - age));
  const answer = await ask().catch((error: unknown) => {
    // It was not there yet.
    if (!(error instanceof Refusal)) throw error;
    if (staleMs === null) return null;
    if (present.status === 200) strike.showedThePast();
    throw error;
  });
  if (answer === null || JSON.stringify(answer.body) === JSON.stringify(present.body)) return null;
  const sent = version && answer.body !== undefined ? inVersion(version, answer.body) : answer.body;
  if (staleMs === null && etag !== etagOf(JSON.stringify(sent))) return null;
  strike.showedThePast();
  return answer;
}
