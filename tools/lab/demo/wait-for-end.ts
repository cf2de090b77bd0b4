import { setTimeout as sleep } from "node:timers/promises";
import type { DemoService } from "../service/demo-service.ts";
import { hasEnded, type OpenedPullRequest } from "./authors.ts";
import type { lookAt } from "./look-at.ts";

type Look = (pr: number) => ReturnType<typeof lookAt>;

/** The time between two counts of the pull requests that have ended. */
const countEveryMs = 5_000;

/** Resolves when every pull request has ended. */
export async function untilAllEnd(
  look: Look,
  opened: readonly OpenedPullRequest[],
  service: DemoService,
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

/** Resolves when no pull request has ended for a time. So a slow machine alone does not make anything look stuck. */
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

/** How many pull requests have ended. */
export async function countEnded(look: Look, opened: readonly OpenedPullRequest[]): Promise<number> {
  let count = 0;
  for (const pr of opened) {
    const entry = await look(pr.number);
    if (entry && hasEnded(pr, entry)) count += 1;
  }
  return count;
}
