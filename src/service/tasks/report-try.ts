import type { Task } from "../../store/leased/outbox.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import { tryReportText } from "../status/ended-entry-text.ts";
import { CommandReplies } from "../status/notices.ts";
import type { TaskResult } from "./task-executor.ts";

export class TryReporter {
  readonly #context: QueueContext;
  readonly #notices: CommandReplies;

  constructor(context: QueueContext) {
    this.#context = context;
    this.#notices = new CommandReplies(context);
  }

  async report({ queueId, pr, report }: Extract<Task, { type: "report_try" }>): Promise<TaskResult> {
    const queue = await this.#context.directory.get(queueId);
    const text = tryReportText(report, queue.branch, this.#context.settings.commandPrefix);
    await this.#notices.answer(installed(queue), pr, "try", text, true);
    return "done";
  }
}
