import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { TestCommitResult } from "../../ports/code-host/merging.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { OutdatedReading } from "../observation/readings.ts";
import { observeTask } from "../runtime/plan-tasks.ts";
import type { TaskHistory } from "../workers/retry.ts";

/** How often GitHub is asked again before a pull request without changes fails. With the delays of `retryDelayMs`, that takes 15 s. */
const mostDoubts = 4;

/**
 * Checks that a pull request whose changes cannot be added to a test commit has not been merged or closed beside the queue. After a merge,
 * its changes are on the base for seconds before GitHub shows it as merged.
 *
 * @throws {OutdatedReading} it has, or may have
 */
export async function expectUnmerged(
  { directory, outbox, clock }: QueueContext,
  { queueId, repo }: { readonly queueId: string; readonly repo: InstalledRepository },
  result: TestCommitResult,
  { failedAs, failedInARow }: TaskHistory,
): Promise<void> {
  if (result.kind !== "empty" && result.kind !== "conflict") return;
  const { pr } = result;
  const read = await directory.codeHost.readPullRequest(repo, pr);
  if (read && read.state !== "open") {
    await outbox.add(observeTask(queueId, pr, clock.now()));
    throw new OutdatedReading(`#${pr} is ${read.state}`);
  }
  const doubts = failedAs === "busy" ? failedInARow : 0;
  if (result.kind === "empty" && doubts < mostDoubts)
    throw new OutdatedReading(`#${pr} changes nothing, so it may have been merged`);
}
