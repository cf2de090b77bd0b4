import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import { noticeAbout } from "../../service/status/notices.ts";
import type { Answer } from "../commands/answer.ts";
import { labelRemovedText } from "../commands/answer-text.ts";
import type { BotParts } from "../parts.ts";

export interface LabelChange {
  readonly pr: number;
  /** Who changed the label. */
  readonly login: string;
  readonly action: "labeled" | "unlabeled";
  readonly label: string;
}

/**
 * Answers a label that is a command. A refused one is removed, so that nobody relies on it. Its answer comes first: if the answer of the
 * removal is lost, the delivery is handled again, and finds no label to answer.
 */
export async function answerLabel(
  { log, notices, removeLabel }: Pick<BotParts, "log" | "notices" | "removeLabel">,
  repo: InstalledRepository,
  { pr, login, action, label }: LabelChange,
  answer: Answer,
): Promise<void> {
  if (answer.done) return notices.answer(repo, pr, login, answer.text, true);
  log.info({ pr, login, code: answer.code }, "refused a label");
  const isTakenOff = action === "labeled";
  const text = isTakenOff ? `${answer.text} ${labelRemovedText(label)}` : answer.text;
  await notices.answer(repo, pr, noticeAbout("label", login), text);
  if (isTakenOff) await removeLabel(repo, pr, label);
}
