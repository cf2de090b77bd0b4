import { setTimeout as sleep } from "node:timers/promises";
import { RequestError } from "@octokit/request-error";
import { messageOf, statusOf } from "../../src/github/client/code-host-error.ts";
import { NotAsked, type Scene } from "./claim.ts";

/**
 * Returns GitHub's answer to a request, such as `204` or `422 Reference does not exist`. Throws `NotAsked` for a missing
 * permission. Rethrows GitHub's own failures and missing responses, because they say nothing about the claim.
 */
export function answerOf(request: Promise<{ status: number }>): Promise<string> {
  return refusalOf(
    request.catch((error: unknown) => {
      throw isDenied(error) ? new NotAsked(`GitHub denies it: ${messageOf(error)}`) : error;
    }),
  );
}

/** Like `answerOf`, but also returns a denial as an answer. */
export async function refusalOf(request: Promise<{ status: number }>): Promise<string> {
  try {
    return String((await request).status);
  } catch (error) {
    const status = statusOf(error);
    if (status === null || status >= 500) throw error;
    const details = detailsOf(error).map((detail) => `: ${detail}`);
    return `${status} ${messageOf(error).replace(/\s+/g, " ").trim()}${details.join("")}`;
  }
}

/** Whether the App lacks a permission for the request. */
export function isDenied(error: unknown): boolean {
  return statusOf(error) === 403 && /resource not accessible by integration/i.test(messageOf(error));
}

/** Whether the repository's plan does not include rulesets. */
export function lacksPlan(error: unknown): boolean {
  return statusOf(error) === 403 && /\bupgrade to github\b/i.test(messageOf(error));
}

/** The messages of a failed validation. */
function detailsOf(error: unknown): string[] {
  if (!(error instanceof RequestError)) return [];
  const { errors } = (error.response?.data ?? {}) as { errors?: unknown };
  const list = Array.isArray(errors) ? errors : [];
  return list.flatMap((one) => (typeof one?.message === "string" ? [one.message] : []));
}

/** Polls until the value is as wanted or the time is over. Returns the last value. */
export async function readUntil<T>(
  { patienceMs }: Pick<Scene, "patienceMs">,
  read: () => Promise<T>,
  isWanted: (value: T) => boolean,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 3_000)) {
    const value = await read();
    if (isWanted(value) || Date.now() + pauseMs > end) return value;
    await sleep(pauseMs);
  }
}

/**
 * Waits until GitHub knows whether a pull request can be merged, because it refuses merges before that. Returns the pull request.
 */
export async function untilMergeable(scene: Scene, { number }: { readonly number: number }) {
  const { github, at } = scene;
  const read = async () => (await github.rest.pulls.get({ ...at, pull_number: number })).data;
  const isKnown = ({ mergeable, mergeable_state }: Awaited<ReturnType<typeof read>>) =>
    mergeable !== null && mergeable_state !== "unknown";
  return readUntil(scene, read, isKnown);
}

/** Returns the tip of a branch; null when the branch does not exist. */
export async function tipOf({ github, at }: Scene, branch: string): Promise<string | null> {
  try {
    return (await github.rest.git.getRef({ ...at, ref: `heads/${branch}` })).data.object.sha;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

/** The SHA of a commit that exists in no repository. */
export const noCommit = "1234567890".repeat(4);
