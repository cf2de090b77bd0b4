import type { RepositoryFile } from "../../command/repository-file.ts";
import type { QueueAnswer } from "../commands/read-queue.ts";

/**
 * Returns the label that submits on a branch; null when there is none. A branch without a queue uses the label that its queue
 * would use.
 */
export function submitLabelOf(
  queue: Pick<QueueAnswer, "enqueueingLabel"> | null,
  file: RepositoryFile,
  byDefault: string,
): string | null {
  if (queue) return queue.enqueueingLabel === "" ? null : queue.enqueueingLabel;
  const { submit = byDefault } = file.labels;
  return submit;
}
