import { Refusal } from "./refusal.ts";

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
