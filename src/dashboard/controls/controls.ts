import { html } from "ghtml";
import { type Entry, isTerminal, priorityNames } from "../../engine/model/entry.ts";
import type { QueueStatus } from "../../engine/model/queue.ts";
import { reasonGuides } from "../../engine/reasons/reason-guide.ts";
import { type Price, renderPrice } from "../../service/queues/price-action.ts";
import {
  type Action,
  describeRefusal,
  type EntryAction,
  effects,
  isQueueAction,
  longestReason,
  type QueueAction,
  renderOrder,
  statuses,
} from "./action.ts";

/** What a visitor may change in a queue, and the forms for it. */
export interface Controls {
  /** The path that the forms are sent to. */
  readonly path: string;
  /** The path of the page that shows the result. */
  readonly page: string;
  readonly formToken: string;
  readonly mayAdministrate: boolean;
  /** Whether a queued pull request of this author may be changed. */
  readonly mayChange: (author: string) => boolean;
}

const selectionForm = "selection";

function hiddenFields({ formToken, page }: Pick<Controls, "formToken" | "page">): string {
  return html`<input type="hidden" name="formToken" value="${formToken}"><input type="hidden" name="next" value="${page}">`;
}

/** Renders the buttons that change the state of the queue; empty when the visitor may not. */
export function renderQueueControls(
  controls: Controls | null,
  { status }: { readonly status: QueueStatus },
): string {
  if (!controls?.mayAdministrate) return "";
  const buttons = (["pause", "drain", "resume"] as const).flatMap((name) =>
    statuses[name] === status
      ? []
      : [
          html`<button class="secondary" name="action" value="${name}">${name[0]?.toUpperCase()}${name.slice(1)}</button>`,
        ],
  );
  return html`<form class="choice controls" method="post" action="${controls.path}" aria-label="The queue">!${hiddenFields(controls)}!${buttons}</form>`;
}

function mayChange(
  controls: Controls | null,
  { author, state }: Pick<Entry, "author" | "state">,
): controls is Controls {
  return controls !== null && !isTerminal(state) && controls.mayChange(author);
}

/** Renders the checkbox of a pull request in a list, which belongs to the form of `renderEntryControls`. */
export function renderSelection(controls: Controls | null, entry: Entry): string {
  if (!mayChange(controls, entry)) return "";
  return html`<input type="checkbox" name="pr" value="${entry.pr}" id="select-${entry.pr}" form="${selectionForm}" aria-label="Select #${entry.pr}"> `;
}

/**
 * Renders the buttons that change queued pull requests: a single one, or those of a list that are selected. Empty when the visitor may
 * change none of them.
 */
export function renderEntryControls(controls: Controls | null, entries: Entry | readonly Entry[]): string {
  const isList = Array.isArray(entries);
  const changeable = [entries].flat().filter((entry: Entry) => mayChange(controls, entry));
  if (controls === null || changeable.length === 0) return "";
  const subject = isList
    ? html`<span>With the selected pull requests:</span>`
    : changeable.map(({ pr }) => html`<input type="hidden" name="pr" value="${pr}">`);
  const options = priorityNames.map(
    (name) => html`<option!${name === "high" ? " selected" : ""}>${name}</option>`,
  );
  return html`<form class="choice controls" id="${selectionForm}" method="post" action="${controls.path}" aria-label="Pull requests">
!${hiddenFields(controls)}!${subject}
<label>Priority <select name="priority">!${options}</select></label>
<button class="secondary" name="action" value="priority">Change priority</button>
<button class="secondary" name="action" value="restart">Restart tests</button>
<button class="secondary" name="action" value="cancel">Cancel</button>
</form>`;
}

/** Renders the button that submits a pull request again that has left the queue; empty when the visitor may not, it has merged, or somebody has pushed to it. */
export function renderResubmission(controls: Controls | null, { pr, author, state, reason }: Entry): string {
  if (!controls?.mayChange(author) || !isTerminal(state) || state === "merged") return "";
  // The service would refuse the head that was tested, and a page cannot name another.
  const guide = reasonGuides[reason.code];
  if (guide.kind === "left" && guide.next === "submit_new_head") return "";
  return html`<form class="choice controls" method="post" action="${controls.path}" aria-label="Pull request">
!${hiddenFields(controls)}<input type="hidden" name="pr" value="${pr}">
<button class="secondary" name="action" value="submit">Submit again</button></form>`;
}

/** An action, its price, and what is to be said about it. */
export interface Confirmation {
  readonly action: Action;
  readonly branch: string;
  readonly price: Price;
  readonly titles: ReadonlyMap<number, string>;
  /** Why the confirmation is shown again; null = it is shown for the first time. */
  readonly problem: string | null;
}

/** Renders the page that says what an action would do, and asks whether it is wanted. */
export function renderConfirmation(
  { path, page, formToken }: Pick<Controls, "path" | "page" | "formToken">,
  { action: asked, branch, price, titles, problem }: Confirmation,
): string {
  const action = withoutRefused(asked, price);
  const order = renderOrder(action ?? asked, branch);
  const problems = price.refusals.map(({ refusal }) => renderProblem(describeRefusal(refusal)));
  const back = html`<a class="back" href="${page}">Back, change nothing</a>`;
  const form = (possible: Action) => html`
<form class="choice" method="post" action="${path}">
!${hiddenFields({ formToken, page })}<input type="hidden" name="action" value="${possible.name}">
!${isQueueAction(possible) ? "" : entryFields(possible, titles)}
<p class="price">!${effectsOf(possible, price).map((sentence) => html`${sentence}<br>`)}</p>
!${isQueueAction(possible) ? reasonField(possible) : ""}
<button name="confirmed" value="yes">Yes, ${order}</button> !${back}
</form>`;
  return html`<main><section>
<h1>${order[0]?.toUpperCase()}${order.slice(1)}?</h1>
!${problem === null ? "" : renderProblem(problem)}!${problems}
!${action === null ? html`<p>!${back}</p>` : form(action)}
</section></main>`;
}

function renderProblem(text: string): string {
  return html`<p class="problem">${text}</p>`;
}

/** Returns the part of an action that the queue does not refuse; null when it refuses everything. */
function withoutRefused(action: Action, { refusals }: Price): Action | null {
  if (isQueueAction(action)) return refusals.length === 0 ? action : null;
  const prs = action.prs.filter((pr) => refusals.every((refused) => refused.pr !== pr));
  return prs.length === 0 ? null : { ...action, prs };
}

function effectsOf(action: Action, price: Price): readonly string[] {
  if (action.name === "submit")
    return [
      "It is tested again as it was, behind all others of its priority. If commits were pushed since, this is refused: submit them by a comment.",
    ];
  return [...(isQueueAction(action) ? [effects[action.name]] : []), ...renderPrice(price)];
}

function reasonField({ name, reason }: QueueAction): string {
  const isRequired = name === "pause";
  return html`<label class="reason">Reason!${isRequired ? "" : " (optional)"} <input name="reason" maxlength="${longestReason}" value="${reason ?? ""}" autocomplete="off"!${isRequired ? " required" : ""}></label>`;
}

function entryFields(action: EntryAction, titles: Confirmation["titles"]): string {
  const prs = action.prs.map(
    (pr) => html`<li><input type="hidden" name="pr" value="${pr}">#${pr} ${titles.get(pr) ?? ""}</li>`,
  );
  const priority =
    action.name === "priority"
      ? html`<input type="hidden" name="priority" value="${action.priority.name}">`
      : "";
  return html`<ul class="subjects">!${prs}</ul>!${priority}`;
}
