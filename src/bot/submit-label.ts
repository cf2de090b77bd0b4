import type { RepositoryFile } from "../command/repository-file.ts";
import type { QueueAnswer } from "./read-queue.ts";

/** The label that submits on a branch; null: none does. A branch without a queue has the label that its queue would have. */
export function submitLabelOf(
  queue: Pick<QueueAnswer, "enqueueingLabel"> | null,
  file: RepositoryFile,
  byDefault: string,
): string | null {
  if (queue) return queue.enqueueingLabel === "" ? null : queue.enqueueingLabel;
  const { submit = byDefault } = file.labels;
  return submit;
}
