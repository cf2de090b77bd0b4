import type { Actor } from "../../engine/model/actor.ts";
import { type Priority, parsePriority } from "../../engine/model/entry.ts";
import type { QueueStatus } from "../../engine/model/queue.ts";
import { namePullRequests, type PricedAction } from "../../service/queues/price-action.ts";
import { type Refusal, renderRefusal } from "../../service/runtime/outcome.ts";

/** Changes pull requests in a queue, or submits those that have left it again. */
export type EntryAction = { readonly prs: readonly number[] } & (
  | { readonly name: "cancel" }
  | { readonly name: "restart" }
  | { readonly name: "submit" }
  | { readonly name: "priority"; readonly priority: Priority }
);

/** Changes the state of a queue. */
export interface QueueAction {
  readonly name: "pause" | "drain" | "resume";
  /** Null = none is given. */
  readonly reason: string | null;
}

/** The request in a form of the dashboard. */
export type Action = EntryAction | QueueAction;

/** The endpoints of the API that do the same, by which the audit log names actions. */
export const endpoints = {
  cancel: "cancelPullRequest",
  restart: "restartTestsOnPullRequest",
  priority: "submitPullRequest",
  submit: "submitPullRequest",
  pause: "updateQueue",
  drain: "updateQueue",
  resume: "updateQueue",
} as const satisfies Record<Action["name"], string>;

export const statuses = {
  pause: "paused",
  drain: "draining",
  resume: "running",
} as const satisfies Record<QueueAction["name"], QueueStatus>;

/** What each state of a queue means. */
export const effects: Readonly<Record<QueueAction["name"], string>> = {
  pause: "No test starts and nothing merges until the queue is resumed. Running tests finish.",
  drain: "No test starts until the queue is resumed. Running tests finish, and what has passed merges.",
  resume: "Tests start, and what has passed merges.",
};

/** The maximum number of pull requests, because each change of a priority reads one from GitHub. */
const mostAtOnce = 50;
export const longestReason = 200;

/** Reads the fields of a form. Returns a text when they ask for nothing that can be done. */
export function parseAction(fields: Readonly<Record<string, unknown>>): Action | string {
  const { action, pr, priority, reason } = fields;
  if (action === "pause" || action === "drain" || action === "resume") {
    const said = typeof reason === "string" ? reason.trim() : "";
    if (said.length > longestReason) return `A reason has at most ${longestReason} characters.`;
    return { name: action, reason: said === "" ? null : said };
  }
  if (action !== "cancel" && action !== "restart" && action !== "submit" && action !== "priority")
    return "There is no such action.";
  const numbers = (Array.isArray(pr) ? pr : [pr])
    .map(Number)
    .filter((number) => Number.isSafeInteger(number) && number > 0);
  const prs = [...new Set(numbers)].sort((a, b) => a - b);
  if (prs.length === 0) return "Nothing was done: select at least one pull request.";
  if (prs.length > mostAtOnce) return `Nothing was done: select at most ${mostAtOnce} pull requests at once.`;
  if (action !== "priority") return { name: action, prs };
  const parsed = typeof priority === "string" ? parsePriority(priority) : null;
  return parsed === null
    ? "Nothing was done: there is no such priority."
    : { name: action, prs, priority: parsed };
}

export function isQueueAction(action: Action): action is QueueAction {
  return !("prs" in action);
}

export function pricedActions(action: Action, actor: Actor): readonly PricedAction[] {
  if (isQueueAction(action))
    return [{ type: "configure", changes: { status: statuses[action.name] }, actor }];
  // GitHub is read only when it is submitted, and it goes behind all others of its priority.
  if (action.name === "submit") return [];
  return action.prs.map((pr) => {
    if (action.name === "cancel") return { type: "cancel", pr, actor, via: "dashboard" };
    if (action.name === "restart") return { type: "restart", pr, actor };
    return { type: "prioritise", pr, priority: action.priority, actor };
  });
}

/** The action in the imperative: `cancel #1 and #2`. */
export function renderOrder(action: Action, branch: string): string {
  if (isQueueAction(action)) return `${action.name} the queue of ${branch}`;
  const prs = namePullRequests(action.prs);
  if (action.name === "cancel") return `cancel ${prs}`;
  if (action.name === "restart") return `restart the tests of ${prs}`;
  if (action.name === "submit") return `submit ${prs} again`;
  return `change the priority of ${prs} to ${action.priority.name}`;
}

export function describeRefusal(refusal: Refusal): string {
  return `${renderRefusal(refusal).replaceAll("`", "")} (${refusal.code})`;
}

/** What was done, as a sentence. */
export function renderDone(action: Action, branch: string): string {
  if (isQueueAction(action)) return `The queue of ${branch} is ${statuses[action.name]} now.`;
  const prs = namePullRequests(action.prs);
  if (action.name === "cancel") return `Cancelled ${prs}.`;
  if (action.name === "restart") return `Restarted the tests of ${prs}.`;
  if (action.name === "submit") return `Submitted ${prs} again.`;
  return `Changed the priority of ${prs} to ${action.priority.name}.`;
}
