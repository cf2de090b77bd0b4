import { areDemanded } from "../../engine/lifecycle/testing/requirements.ts";
import type { RequiredChecksSource } from "../../engine/model/checks/required-checks.ts";
import { isSameName } from "../../engine/model/names.ts";
import { allRuns, type QueueState } from "../../engine/model/queue.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import { installed, sameRepository } from "../runtime/directory.ts";
import { messageOf } from "../workers/retry.ts";
import type { QueueContext } from "./queue-context.ts";
import { requiredChecksOf } from "./required-checks.ts";

const rules: RequiredChecksSource = "repo_provider_branch_protection";

/**
 * Reports to queues which checks must pass on their test branches, when their settings, the repository file, the protection of the branch
 * or rulesets change.
 */
export class RequirementsWatcher {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
    context.runtime.onCommit((queueId, events, _state, isOwn) => {
      const isNews = events.some(
        ({ data }) => data.type === "queue_configured" && data.changes.requiredStatuses !== undefined,
      );
      if (isOwn && isNews) void this.#follow([queueId]);
    });
    context.files.onForgotten((repo, branch) => {
      const isThere = (queue: QueueRecord) => queue.branch === branch && sameRepository(queue.repo, repo);
      void this.changed(repo.owner, isThere);
    });
  }

  /**
   * Reads the required checks now, and reports a change. While the repository file is invalid, only changes of the branch's rules are
   * reported, and only if all tests in progress follow these rules.
   * @throws if the code host does not answer
   */
  async look(queueId: string): Promise<void> {
    const { runtime, directory, files } = this.#context;
    const repo = installed(await directory.get(queueId));
    const state = await runtime.state(queueId);
    const found = await requiredChecksOf(state, repo, directory.codeHost, files, true);
    if ("invalid" in found && !areBoundByRules(state)) return;
    const { required, requiredSource: source } =
      "invalid" in found
        ? {
            required: await directory.codeHost.requiredChecks(repo, state.branch, true),
            requiredSource: rules,
          }
        : found;
    if (areDemanded(await runtime.state(queueId), required)) return;
    await runtime.dispatch(queueId, { type: "requirements_observed", required, source });
  }

  /** Looks at the queues of an owner's repositories, or at some of them, after a rule or a file was changed. */
  async changed(owner: string, isConcerned: (queue: QueueRecord) => boolean = () => true): Promise<void> {
    try {
      const queues = await this.#context.directory.list();
      const isOwned = ({ repo }: QueueRecord) => isSameName(repo.owner, owner);
      await this.#follow(queues.filter((queue) => isOwned(queue) && isConcerned(queue)).map(({ id }) => id));
    } catch (error) {
      this.#context.log.warn({ err: error }, `could not look for required checks: ${messageOf(error)}`);
    }
  }

  /** Failures are harmless, because the reconciler and each merge look again. */
  async #follow(queueIds: readonly string[]): Promise<void> {
    for (const queueId of queueIds) {
      try {
        await this.look(queueId);
      } catch (error) {
        const what = `could not look for the required checks of queue ${queueId}`;
        this.#context.log.warn({ err: error, queueId }, `${what}: ${messageOf(error)}`);
      }
    }
  }
}

/** Whether the rules of the branch determine what all tests in progress have to pass. */
function areBoundByRules(state: QueueState): boolean {
  return [...allRuns(state)].every(
    ({ state, requiredSource }) => state === "building" || requiredSource === rules,
  );
}
