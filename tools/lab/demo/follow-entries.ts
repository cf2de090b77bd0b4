import { setTimeout as sleep } from "node:timers/promises";
import { ApiError, type TrainyardClient } from "../../../src/client/client.ts";
import type { Service } from "../service/service-process.ts";
import { hasEnded, type OpenedPullRequest } from "./authors.ts";
import type { RunningDemo } from "./run-demo.ts";

export interface Queue {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly targetBranch: string;
}

/** The queue entry of a pull request. Null when it was never submitted. */
export async function findEntry(client: TrainyardClient, queue: Queue, number: number) {
  try {
    return await client.getSubmittedPullRequest({ ...queue, pr: { number } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

type Look = (pr: number) => ReturnType<typeof findEntry>;

/** The time between two counts of the pull requests that have ended. */
const countEveryMs = 5_000;

/** Resolves when every pull request has ended. */
export async function untilAllEnd(
  look: Look,
  opened: readonly OpenedPullRequest[],
  service: Service,
): Promise<void> {
  for (const pr of opened) {
    for (;;) {
      service.check();
      const entry = await look(pr.number);
      if (entry && hasEnded(pr, entry)) break;
      await sleep(100);
    }
  }
}

/** Resolves when no pull request has ended for a time. On a slow machine, pull requests still end, and do not look stuck. */
export async function untilNoneEnds(
  look: Look,
  opened: readonly OpenedPullRequest[],
  patienceMs: number,
): Promise<void> {
  let ended = 0;
  for (let since = Date.now(); Date.now() - since < patienceMs; ) {
    await sleep(countEveryMs, undefined, { ref: false });
    const count = await countEnded(look, opened);
    if (count !== ended) since = Date.now();
    ended = count;
  }
}

export async function countEnded(look: Look, opened: readonly OpenedPullRequest[]): Promise<number> {
  let count = 0;
  for (const pr of opened) {
    const entry = await look(pr.number);
    if (entry && hasEnded(pr, entry)) count += 1;
  }
  return count;
}

const everyMs = 20_000;

/** Reports every 20 seconds how many pull requests have ended, until the demo ends. */
export async function tellProgress(
  { client, queue, pullRequests, finished, sandbox }: RunningDemo,
  tell: (text: string) => void,
): Promise<void> {
  let over = false;
  const ending = finished.finally(() => {
    over = true;
  });
  const began = Date.now();
  for (;;) {
    await Promise.race([sleep(everyMs, undefined, { ref: false }), ending]);
    if (over) return;
    const entries = await Promise.all(pullRequests.map(({ number }) => findEntry(client, queue, number)));
    const counts = Object.entries(Object.groupBy(entries, (entry) => entry?.state ?? "not submitted"));
    const states = counts.map(([state, list]) => `${list?.length} ${state}`).join(", ");
    tell(`${Math.round((Date.now() - began) / 1000)} s: ${states}; ${sandbox.faults.injected.length} faults`);
  }
}
