import { createHash } from "node:crypto";
import type { Caller } from "../auth/authorize.ts";
import type { Faults } from "../faults/faults.ts";
import type { Strike } from "../faults/strike.ts";
import type { Past } from "../world/past.ts";
import type { Repository } from "../world/repository.ts";
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

/**
 * The versions of GitHub's REST API. A request without the version header gets the first one.
 * https://docs.github.com/en/rest/about-the-rest-api/api-versions
 */
const apiVersions = ["2022-11-28", "2026-03-10"] as const;
export type ApiVersion = (typeof apiVersions)[number];
const usual: ApiVersion = "2022-11-28";

/**
 * Returns the version of the response.
 * @param enterprise the version of GitHub Enterprise Server, which knows only the first API version; null = github.com
 * @throws a 400 refusal for a version that this GitHub does not know
 */
export function selectVersion(header: string | string[] | undefined, enterprise: string | null): ApiVersion {
  if (header === undefined) return usual;
  const known = enterprise === null ? apiVersions : [usual];
  const found = known.find((version) => version === header);
  if (found === undefined) throw new Refusal(400, `The API version "${header}" is not supported.`);
  return found;
}

export const versionHeaders = (
  version: ApiVersion | null,
  enterprise: string | null,
): Record<string, string> => ({
  "x-github-api-version-selected": version ?? usual,
  ...(enterprise === null ? {} : { "x-github-enterprise-version": enterprise }),
});

const removed: Readonly<Record<ApiVersion, readonly string[]>> = {
  "2022-11-28": [],
  "2026-03-10": ["merge_commit_sha", "assignee", "rate"],
};

/**
 * Converts a response of the first version: removes the fields that the given version no longer has.
 * https://docs.github.com/en/rest/about-the-rest-api/breaking-changes
 */
export function inVersion(version: ApiVersion, body: unknown): unknown {
  const names = removed[version];
  return names.length === 0 ? body : without(names, JSON.parse(JSON.stringify(body ?? null)));
}

function without(names: readonly string[], value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => without(names, item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, without(names, inner)]));
}
