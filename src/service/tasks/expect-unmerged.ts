import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { Clock } from "../../ports/code-host/runtime.ts";
import type { TestCommitResult } from "../../ports/code-host/test-commit-plan.ts";
import type { Outbox } from "../../ports/outbox.ts";
import { OutdatedReading } from "../observation/outdated-reading.ts";
import type { Directory } from "../queue/directory.ts";
import { observeTask } from "./queue-tasks.ts";
import type { TaskHistory } from "./retry.ts";

export interface ExpectUnmergedParts {
  readonly directory: Directory;
  readonly outbox: Pick<Outbox, "add">;
  readonly clock: Clock;
}

/** GitHub is asked so often before a pull request without changes is believed to be open: for 15 s, with the delays of `retryDelayMs`. */
const mostDoubts = 4;

/**
 * Makes sure that a pull request that cannot be stacked has not been merged or closed beside the queue. Its changes may be on the base
 * for seconds before GitHub shows it as merged.
 *
 * @throws {OutdatedReading} it has, or may have
 */
export async function expectUnmerged(
  { directory, outbox, clock }: ExpectUnmergedParts,
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
    throw new OutdatedReading(`#${pr} changes nothing: it may have been merged`);
}
