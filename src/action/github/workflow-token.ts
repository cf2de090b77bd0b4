import type { Fetch } from "../../client/fetch.ts";
import { type RetryOptions, withRetries } from "../../client/retry.ts";
import { StepError } from "../step.ts";
import { GitHubApi, GitHubRefusal } from "./github-api.ts";

/** The URL and the bearer token with which a job with `id-token: write` requests a token of its own from GitHub. */
export interface TokenRequest {
  readonly url: string;
  readonly bearer: string;
}

/** Null if the job has no permission `id-token: write`, such as on pull requests of forks. */
export function readTokenRequest(env: Readonly<Record<string, string | undefined>>): TokenRequest | null {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer } = env;
  return url && bearer ? { url, bearer } : null;
}

/**
 * Requests the workflow's own token from GitHub. It is valid for a few minutes, so it must be requested right before its use.
 * https://docs.github.com/en/actions/reference/security/oidc
 *
 * @throws StepError when GitHub issues none, GitHubUnreachable
 */
export async function requestWorkflowToken(
  { url, bearer }: TokenRequest,
  audience: string,
  { fetch, retry }: { readonly fetch: Fetch; readonly retry: RetryOptions },
): Promise<string> {
  const address = new URL(url);
  address.searchParams.set("audience", audience);
  const github = new GitHubApi({ apiUrl: address.origin, token: bearer, fetch, retry });
  try {
    const path = `${address.pathname}${address.search}`;
    const answer = await withRetries(() => github.request("GET", path), retry);
    const value = typeof answer === "object" && answer !== null ? Reflect.get(answer, "value") : null;
    if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
    throw new StepError("GitHub issued no token", "Its answer contains no token; run the job again later.");
  } catch (error) {
    if (!(error instanceof GitHubRefusal)) throw error;
    throw new StepError(
      "GitHub issued no token",
      `${error.detail} Give the job the permission \`id-token: write\`, or set the input api-token.`,
      { cause: error },
    );
  }
}
