import { escapeMarkdown, oneLine } from "../../command/escape-markdown.ts";
import { findRun, type QueueState } from "../../engine/model/queue.ts";
import { type TestRun, testBranchName } from "../../engine/model/test-run.ts";
import type { Task } from "../../store/leased/outbox.ts";
import type { QueueContext } from "../observation/queue-context.ts";
import { installed } from "../runtime/directory.ts";
import type { TaskResult } from "./task-executor.ts";

/** The maximum number of pull requests in a title; the body names all. */
const maxInTitle = 5;
const longestTitle = 250;

/**
 * Opens a pull request for a run's test branch, for CI that runs only on pull requests. GitHub closes it when
 * the branch is deleted.
 */
export class TestPullRequestOpener {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  async open({ queueId, runId }: Extract<Task, { type: "open_test_pull_request" }>): Promise<TaskResult> {
    const state = await this.#context.runtime.state(queueId);
    const run = findRun(state, runId);
    if (run?.state !== "running") return "done";
    const repo = installed(await this.#context.directory.get(queueId));
    const head = testBranchName(this.#context.settings.branches.test, run);
    const pull = { head, base: state.branch, ...textOf(state, run) };
    if (!(await this.#context.directory.codeHost.openTestPullRequest(repo, pull)))
      this.#context.log.info({ queueId, branch: head }, "GitHub makes no pull request of a test branch");
    return "done";
  }
}

/**
 * Contains pull request numbers without closing keywords, so that a merge of the test branch closes nothing.
 */
function textOf(state: QueueState, { ahead, members, ofBase }: TestRun): { title: string; body: string } {
  const some = members.slice(0, maxInTitle).map((pr) => `#${pr}`);
  const more = members.length > maxInTitle ? ` and ${members.length - maxInTitle} more` : "";
  const line = (pr: number) =>
    `- #${pr} ${escapeMarkdown((state.entries.get(pr) ?? state.tries.get(pr))?.title ?? "")}`.trimEnd();
  const below = ahead.filter((pr) => state.entries.has(pr));
  const warning =
    "**Do not merge.** The merge queue opened this pull request so that CI tests its branch. It goes when the test ends. Commands and labels here do nothing.";
  if (ofBase) {
    const title = oneLine(`[do not merge] Test ${state.branch} by itself`, longestTitle);
    return { title, body: `${warning}\n\nIt contains nothing but ${escapeMarkdown(state.branch)}.` };
  }
  const body = [
    warning,
    `Tested for ${escapeMarkdown(state.branch)}:`,
    members.map(line).join("\n"),
    ...(below.length > 0 ? ["On top of:", below.map(line).join("\n")] : []),
  ];
  const title = oneLine(`[do not merge] Test ${some.join(", ")}${more} for ${state.branch}`, longestTitle);
  return { title, body: body.join("\n\n") };
}
