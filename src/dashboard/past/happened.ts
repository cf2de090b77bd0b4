import { html } from "ghtml";
import { assertNever } from "../../engine/assert-never.ts";
import { renderActor } from "../../engine/model/actor.ts";
import type { Reason } from "../../engine/reasons/reason.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised } from "../../engine/reasons/sentence.ts";
import type { ToldEvent } from "../../service/queues/queue-past.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { pullRequestPath } from "../paths.ts";
import { renderStep, renderStop } from "../pull-request/timeline.ts";

const mostLinked = 12;

/** An event as a sentence, in which its pull requests are linked to their pages. */
export function renderHappened(queue: QueueAddress, data: ToldEvent): string {
  const link = (pr: number) => html`<a href="${pullRequestPath(queue, pr)}">#${pr}</a>`;
  const links = (prs: readonly number[]) =>
    prs.slice(0, mostLinked).map(link).join(", ") +
    (prs.length > mostLinked ? ` and ${prs.length - mostLinked} more` : "");
  switch (data.type) {
    case "queue_created":
      return said(`the queue is created by ${renderActor(data.actor)}`);
    case "queue_configured":
      return said(
        `the settings are changed by ${renderActor(data.actor)}: ${Object.keys(data.changes).join(", ")}`,
      );
    case "queue_status_changed":
      return state(data.to, data.reason);
    case "freeze_changed":
    case "stall_changed":
      return renderStop(queue, data);
    case "queue_moved":
      return said(`the queue is called ${data.repo.owner}/${data.repo.name} ${data.branch} from now on`);
    case "bisection_started":
      return html`The batch of !${links(data.members)} fails. The search for the culprit begins: !${because(data.failure)}`;
    case "bisection_ended":
      return "The search for the culprit of a batch ends.";
    case "block_failed":
      return "A block fails. Each of its pull requests is tested by itself.";
    case "base_moved":
      return html`<span class="branch">${queue.branch}</span> moves to <code>${data.sha.slice(0, 7)}</code> from outside of the queue.`;
    case "base_test_started":
      return html`A test of <span class="branch">${queue.branch}</span> by itself starts.`;
    case "base_test_ended":
      return html`The test of <span class="branch">${queue.branch}</span> by itself ends: ${data.verdict.replaceAll("_", " ")}.`;
    case "run_started": {
      const { members, ahead, ofBase } = data.run;
      const below = !ofBase && ahead.length > 0 ? html` on top of !${links(ahead)}` : "";
      return html`A test run of !${links(members)} starts!${below}.`;
    }
    case "merge_started":
      return html`The merge of !${links(data.attempt.steps.map(({ pr }) => pr))} is ordered.`;
    case "run_missing_checks":
    case "run_requirements_changed":
      return html`!${links(data.prs)}: !${renderStep(data)}`;
    case "entry_admitted":
    case "entry_revised":
    case "entry_aged":
    case "entry_moved":
    case "entry_held":
    case "entry_delayed":
    case "direct_merge_declined":
    case "run_retried":
    case "run_retry_refused":
      return html`!${link(data.pr)} !${renderStep(data)}`;
    default:
      return assertNever(data);
  }
}

function said(text: string): string {
  return html`${asSentence(capitalised(text))}`;
}

function because(reason: Reason): string {
  return said(renderReason(reason)).replace(/^./, (first) => first.toLowerCase());
}

function state(to: string, reason: Reason): string {
  return html`<span class="state ${to}">${to.replaceAll("_", " ")}</span> !${said(renderReason(reason))}`;
}
