import { parseCommands } from "../../command/parse-command.ts";
import { isMergeCalled } from "../../engine/lifecycle/merging/ordered-merge.ts";
import type { MergeStep } from "../../engine/model/merge-attempt.ts";
import { isSameName, nameKey } from "../../engine/model/names.ts";
import type { QueueState } from "../../engine/model/queue.ts";
import type { Delivery } from "../../store/leased/inbox.ts";
import type { QueueContext } from "../observation/queue-context.ts";

/** The events that the poller creates for commands that it finds. */
export const foundComment = "trainyard_found_comment";
export const foundLabel = "trainyard_found_label";

const events = ["issue_comment", foundComment, "pull_request_review", "pull_request", foundLabel];
/** Descriptions of changes of a pull request that may forbid its merge. */
const changes: ReadonlyMap<string, string> = new Map([
  ["unlabeled", "a removed label"],
  ["auto_merge_disabled", "disabled auto-merge"],
  ["converted_to_draft", "the change to a draft"],
  ["closed", "the closing"],
  ["synchronize", "a push"],
  ["edited", "an edit"],
]);
const actions = ["created", "submitted", ...changes.keys()];

/** A merge that must wait for input. */
export interface HeldMerge {
  /** The index of the first step that cannot merge. */
  readonly index: number;
  /** The stream of the delivery. */
  readonly stream: string;
  readonly text: string;
}

/** A merge was not called, because input that was received before must be handled first. */
export class InputPending extends Error {
  override readonly name = "InputPending";
  readonly held: HeldMerge;

  constructor(held: HeldMerge) {
    super(held.text);
    this.held = held;
  }
}

/** The fields that are read here. A delivery without them is given up by its handler at once. */
interface Payload {
  /** Of a comment that polling found. */
  readonly body?: string;
  readonly comment?: { readonly body?: string };
  readonly review?: { readonly body?: string | null };
  readonly label?: { readonly name?: string };
}

/**
 * Makes merges wait for input that the inbox received before: a merge cannot be undone, while a command is retried until GitHub answers. A
 * delivery that was given up does not count any more.
 */
export class PendingInput {
  readonly #context: QueueContext;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /**
   * Returns the first step of the ordered merge that must not be merged yet; null when all may. Steps that GitHub was already asked to
   * merge are not held, because they cannot be removed any more.
   *
   * @param label the label that submits; null = none does
   */
  async findHeld(
    state: QueueState,
    steps: readonly MergeStep[],
    label: string | null,
  ): Promise<HeldMerge | null> {
    const first = steps.findIndex(({ pr }) => !isMergeCalled(state, pr));
    if (first < 0) return null;
    const repository = nameKey(`${state.repo.owner}/${state.repo.name}`);
    const held: HeldMerge[] = [];
    for (const delivery of await this.#context.stores.inbox.unhandled(repository, events, actions)) {
      const { stream } = delivery;
      const own = steps.findIndex(({ pr }, index) => index >= first && stream === `${repository}#${pr}`);
      const what = this.#obstacleIn(delivery, own >= 0, label);
      const text = `${what} on ${stream.slice(repository.length)} that was received before is not handled yet`;
      if (what !== null) held.push({ index: Math.max(own, first), stream, text });
    }
    return held.sort((one, other) => one.index - other.index)[0] ?? null;
  }

  /** Makes the delivery that holds a merge due now, so that it is handled as often as the merge is tried. */
  hasten({ stream }: HeldMerge): Promise<void> {
    return this.#context.stores.inbox.hasten(stream, this.#context.clock.now());
  }

  /** What in a delivery may forbid a merge; null when nothing does. `isOwn`: the delivery is about a pull request that would be merged. */
  #obstacleIn({ event, action, payload }: Delivery, isOwn: boolean, label: string | null): string | null {
    const { body, comment, review, label: changed } = JSON.parse(payload) as Payload;
    if (event === foundComment) return this.#obstructs(body, isOwn) ? "a comment" : null;
    if (event === "issue_comment")
      return action === "created" && this.#obstructs(comment?.body, isOwn) ? "a comment" : null;
    if (event === "pull_request_review")
      return action === "submitted" && this.#obstructs(review?.body, isOwn) ? "a review" : null;
    if (!isOwn || (action === "unlabeled" && !isSameName(changed?.name, label))) return null;
    return changes.get(action ?? "") ?? null;
  }

  /** Whether a comment has a command that may forbid the merge of its pull request, or all merges of the queue. */
  #obstructs(body: string | null | undefined, isOwn: boolean): boolean {
    return parseCommands(body ?? "", this.#context.settings.commandPrefix).some((parsed) => {
      if (!parsed.ok) return false;
      const { type } = parsed.command;
      return type === "pause" || (isOwn && type !== "status" && type !== "help");
    });
  }
}
