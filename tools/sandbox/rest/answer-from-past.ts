import { createHash } from "node:crypto";
import type { Caller } from "../auth/authorize.ts";
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
  /** The ETag that the caller already has. */
  readonly etag: string | undefined;
  readonly version: ApiVersion | null;
  /** Computes the response for another state of the repository. */
  readonly at: (then: Repository) => Promise<Answer> | Answer;
  /** The response for the current state. */
  readonly present: Answer;
}

export const etagOf = (content: Buffer | string): string =>
  `W/"${createHash("sha256").update(content).digest("hex")}"`;

/** Returns the fault that hits a merge because its base changed recently; null = none. */
export function strikeMerge(
  faults: Faults,
  caller: Caller,
  { pulls, git }: Repository,
  pull: number | null,
): Strike | null {
  const ref = `refs/heads/${pulls.get(pull ?? 0)?.base.ref}`;
  return faults.strikeMerge(caller.kind, ref, git.refs.changedAt(ref));
}

/** Returns an earlier response, if the fault requires one and it differs from the current one. Null otherwise. */
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
    // The object did not exist at that time.
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
