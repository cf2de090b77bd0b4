import { Refusal } from "./refusal.ts";

/**
 * The versions of GitHub's REST API, and what a request without the header gets.
 * https://docs.github.com/en/rest/about-the-rest-api/api-versions
 */
export const apiVersions = ["2022-11-28", "2026-03-10"] as const;
export type ApiVersion = (typeof apiVersions)[number];
const usual: ApiVersion = "2022-11-28";

/**
 * The version in which a request is answered. Throws a 400 refusal for one that this GitHub does not know.
 * @param enterprise the version of GitHub Enterprise Server, which knows only the first; null: github.com
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
 * An answer of the first version without what a later one has removed.
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
