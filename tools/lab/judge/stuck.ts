import type { TrainyardClient } from "../../../src/client/client.ts";
import { hasEnded, type OpenedPullRequest } from "../demo/authors.ts";
import { lookAt, type Queue } from "../demo/look-at.ts";

/** Describes each pull request that has not ended in time, with the queue's explanation. */
export async function describeStuck(
  client: TrainyardClient,
  queue: Queue,
  pullRequests: readonly OpenedPullRequest[],
): Promise<string[]> {
  const stuck: string[] = [];
  for (const pr of pullRequests) {
    const { number, plan } = pr;
    const at = `#${number} "${plan.title}" is stuck:`;
    const entry = await lookAt(client, queue, number);
    const why = entry?.why.map(({ text }) => text).join(" → ");
    if (!entry) stuck.push(`${at} it was never submitted`);
    else if (entry.isCurrentlySubmittedToQueue)
      stuck.push(`${at} ${entry.state} (${entry.reason}), why: ${why}`);
    else if (!hasEnded(pr, entry))
      stuck.push(`${at} ${entry.state} (${entry.reason}), and not submitted again`);
  }
  return stuck;
}
