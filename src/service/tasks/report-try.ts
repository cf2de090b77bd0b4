import type { Task } from "../../store/leased/outbox.ts";
import { type Directory, installed } from "../runtime/directory.ts";
import { tryReportText } from "../status/ended-entry-text.ts";
import type { CommandReplies } from "../status/notices.ts";
import type { TaskResult } from "./task-executor.ts";

/** Reports on a pull request how its try ended. */
export class TryReporter {
  readonly #directory: Directory;
  readonly #notices: Pick<CommandReplies, "answer">;
  readonly #commandPrefix: string;

  constructor(directory: Directory, notices: Pick<CommandReplies, "answer">, commandPrefix: string) {
    this.#directory = directory;
    this.#notices = notices;
    this.#commandPrefix = commandPrefix;
  }

  async report({ queueId, pr, report }: Extract<Task, { type: "report_try" }>): Promise<TaskResult> {
    const queue = await this.#directory.get(queueId);
    const text = tryReportText(report, queue.branch, this.#commandPrefix);
    await this.#notices.answer(installed(queue), pr, "try", text, true);
    return "done";
  }
}
