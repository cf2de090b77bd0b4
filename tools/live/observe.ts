import { setTimeout as sleep } from "node:timers/promises";
import { RequestError } from "@octokit/request-error";
import { messageOf, statusOf } from "../../src/github/code-host-error.ts";
import { NotAsked } from "./claim.ts";
import type { Scene } from "./scene.ts";

/**
 * What a request is answered with: `204`, `422 Reference does not exist`. A denial for lack of a permission, a failure of GitHub's own, and
 * no answer at all are thrown on: they say nothing about the claim.
 */
export function answerOf(request: Promise<{ status: number }>): Promise<string> {
  return refusalOf(
    request.catch((error: unknown) => {
      throw isDenied(error) ? new NotAsked(`GitHub denies it: ${messageOf(error)}`) : error;
    }),
  );
}

/** The same, where a denial is an answer, too. */
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

/** The App lacks a permission that the claim did not name. */
export function isDenied(error: unknown): boolean {
  return statusOf(error) === 403 && /resource not accessible by integration/i.test(messageOf(error));
}

/** The plan of the repository has no rulesets. */
export function lacksPlan(error: unknown): boolean {
  return statusOf(error) === 403 && /\bupgrade to github\b/i.test(messageOf(error));
}

/** The messages of a validation that failed. */
function detailsOf(error: unknown): string[] {
  if (!(error instanceof RequestError)) return [];
  const { errors } = (error.response?.data ?? {}) as { errors?: unknown };
  const list = Array.isArray(errors) ? errors : [];
  return list.flatMap((one) => (typeof one?.message === "string" ? [one.message] : []));
}

/** Reads until it is as wanted or GitHub has had its time. Answers the last reading. */
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

/** Waits until GitHub knows whether a pull request can be merged: before that, it refuses merges. Answers the state. */
export async function untilMergeable(scene: Scene, { number }: { readonly number: number }) {
  const { github, at } = scene;
  const read = async () => (await github.rest.pulls.get({ ...at, pull_number: number })).data;
  const isKnown = ({ mergeable, mergeable_state }: Awaited<ReturnType<typeof read>>) =>
    mergeable !== null && mergeable_state !== "unknown";
  return readUntil(scene, read, isKnown);
}

/** Where a branch is; null: nowhere. */
export async function tipOf({ github, at }: Scene, branch: string): Promise<string | null> {
  try {
    return (await github.rest.git.getRef({ ...at, ref: `heads/${branch}` })).data.object.sha;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

/** A commit that no repository has. */
export const noCommit = "1234567890".repeat(4);
