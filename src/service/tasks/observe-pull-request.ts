import { isStillUnknown } from "../../engine/model/entry.ts";
import { usesLanes } from "../../engine/model/settings.ts";
import type { OutboxRow, Task } from "../../store/leased/outbox.ts";
import { isPushedWhileUnready, judgePush, judgeRebase, maxPushLooks } from "../observation/judge-push.ts";
import type { ObservationContext } from "../observation/observation-context.ts";
import { withHeadChecks } from "../observation/required-checks.ts";
import { installed } from "../runtime/directory.ts";
import { ImpactedTargets } from "../runtime/impacted-targets.ts";
import type { TaskResult } from "./task-executor.ts";

/**
 * The maximum number of readings while GitHub computes mergeability, or does not say what reviewers decided. After that, the reconciler
 * reads.
 */
const maxLooks = 10;

/** Reads a queued pull request again, and reports its current state to the engine. */
export class PullRequestObserver {
  readonly #context: ObservationContext;
  readonly #targets: ImpactedTargets;

  constructor(context: ObservationContext) {
    this.#context = context;
    this.#targets = new ImpactedTargets(context.stores.targets, context.runtime, context.clock);
  }

  async observe(
    { queueId, pr }: Extract<Task, { type: "observe_pull_request" }>,
    row: OutboxRow,
  ): Promise<TaskResult> {
    const { runtime, directory, files, reach, readings, clock } = this.#context;
    const before = await runtime.state(queueId);
    if (!before.entries.has(pr) && !before.tries.has(pr)) return "done";
    const queue = await directory.get(queueId);
    const repo = installed(queue);
    const { codeHost } = directory;
    const askedAt = clock.now();
    const read = await codeHost.readPullRequest(repo, pr);
    if (!read) {
      await reach.suspect(queueId);
      return "done";
    }
    const state = await runtime.state(queueId);
    const reading = { repo, pullRequest: read, askedAt };
    const { isBelieved } = await readings.pulls.expectNews({ ...reading, entry: state.entries.get(pr) });
    const isRebase = await judgeRebase({ codeHost, files }, repo, state.entries.get(pr), read);
    if (isRebase === null && row.attempts < maxPushLooks) return this.#lookAgain(row);
    const push = isPushedWhileUnready(state.entries.get(pr), read)
      ? await judgePush({ codeHost, files }, repo, state, read)
      : null;
    if (push === "unknown" && row.attempts < maxPushLooks) return this.#lookAgain(row);
    const facts = await withHeadChecks({ codeHost, files }, repo, state, read);
    const baseBranch =
      read.state === "open" ? await reach.presentBranch(queueId, read.baseBranch) : read.baseBranch;
    if (baseBranch === null) return this.#lookAgain(row);
    const pullRequest = { ...facts, baseBranch };
    const keepsSubmission = push === "may_submit";
    const after = await runtime.dispatch(queueId, {
      type: "pull_request_observed",
      ...{ pullRequest, keepsSubmission, isBelieved },
      ...(isRebase ? { isRebase } : {}),
    });
    const entry = after.state.entries.get(pr);
    // The reading may be outdated by now. Then the engine has ignored it, and the task must be done again.
    await readings.pulls.expectNews({ ...reading, entry });
    // Targets may have been uploaded before this head was observed. An earlier attempt may have been interrupted between observing the head
    // and reporting its targets.
    if (usesLanes(state.settings) && entry?.targets === null)
      await this.#targets.report(queue, pr, entry.headSha, null);
    const unknown = isStillUnknown(pullRequest) && entry?.state === "not_ready";
    if (!unknown || row.attempts >= maxLooks) return "done";
    return this.#lookAgain(row);
  }

  #lookAgain({ attempts }: OutboxRow): TaskResult {
    const { clock, settings } = this.#context;
    return { againAt: clock.now() + settings.pace.mergeabilityMs * 2 ** Math.min(attempts, 5) };
  }
}
