import { setTimeout as sleep } from "node:timers/promises";
import { lookAt } from "./look-at.ts";
import type { RunningDemo } from "./run-demo.ts";

const everyMs = 20_000;

/** Tells every 20 seconds how much has ended, until the demo ends. */
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
    const entries = await Promise.all(pullRequests.map(({ number }) => lookAt(client, queue, number)));
    const counts = Object.entries(Object.groupBy(entries, (entry) => entry?.state ?? "not submitted"));
    const states = counts.map(([state, list]) => `${list?.length} ${state}`).join(", ");
    tell(`${Math.round((Date.now() - began) / 1000)} s: ${states}; ${sandbox.faults.injected.length} faults`);
  }
}
