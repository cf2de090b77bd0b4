import { html } from "ghtml";
import { assertNever } from "../../engine/assert-never.ts";
import { type EntryEvent, isEntryEvent, isStopEvent, type StopEvent } from "../../engine/decision.ts";
import { renderActor } from "../../engine/model/actor.ts";
import { isTerminal } from "../../engine/model/entry.ts";
import type { EventOf } from "../../engine/model/event.ts";
import { renderObstacle } from "../../engine/model/merge-attempt.ts";
import { renderEnd } from "../../engine/model/order/delay.ts";
import { brokenWorkflowsHint } from "../../engine/reasons/missing-check-reason.ts";
import { renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised, inSentences, timeOf } from "../../engine/reasons/sentence.ts";
import type { EntryStory } from "../../service/queues/entry-stories.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { pullRequestPath } from "../paths.ts";
import { builtOn, clockTime, lasting } from "./parts.ts";

/** Renders what happened to a pull request, in order, with the time between the steps. */
export function renderTimeline(story: EntryStory, now: number): string {
  const { events, omitted, view } = story;
  const own = events.flatMap(({ data, ...event }) => (isEntryEvent(data) ? [{ ...event, data }] : []));
  const steps = [...own, ...story.stops].sort((a, b) => a.seq - b.seq);
  const items = steps.map(({ at, data }, index) => {
    const step =
      data.type === "run_started"
        ? renderStart(story, data)
        : isStopEvent(data)
          ? renderStop(story, data)
          : renderStep(data);
    return item(at, steps[index - 1]?.at, step, `../past?at=${new Date(at).toISOString()}`);
  });
  const last = steps.at(-1);
  const open =
    last && !isTerminal(view.entry.state) ? item(now, last.at, html`<span class="quiet">now</span>`) : "";
  return html`
<section><h2>Timeline <span class="quiet">times in UTC</span></h2>
!${own[0]?.data.type === "entry_admitted" ? "" : earlier(omitted)}
!${steps.length === 0 ? "" : html`<ol class="timeline">!${items}!${open}</ol>`}
</section>`;
}

/**
 * @param before the time of the step before; undefined for the first step, which shows its day
 * @param past where the queue at that time is shown; absent = nowhere
 */
function item(at: number, before: number | undefined, step: string, past?: string): string {
  const took = before === undefined || at - before < 1000 ? "" : `+${lasting(at - before)}`;
  const time = clockTime(at, before ?? 0);
  const linked =
    past === undefined ? time : html`<a href="${past}" title="The queue at this moment">!${time}</a>`;
  return html`<li>!${linked} <span class="quiet">${took}</span> <span>!${step}</span></li>`;
}

function earlier(omitted: number): string {
  const what =
    omitted > 0
      ? `${omitted} earlier steps are not shown.`
      : "Earlier steps were recorded by a version that did not list them.";
  return html`<p class="quiet">${what}</p>`;
}

function renderStart(story: EntryStory, { run }: EventOf<"run_started">): string {
  const isShown = story.runs.some((record) => record.run.id === run.id);
  const started = isShown ? html`<a href="#run-${run.id}">A test run</a>` : "A test run";
  return html`!${started} starts !${builtOn(story, run)}.`;
}

const said = (text: string) => html`${asSentence(capitalised(text))}`;

const statusChanges = {
  running: "resumed",
  paused: "paused",
  draining: "drained",
  switching_modes: "stopped to change its mode",
} as const;

/** What stopped the queue or let it continue, as HTML. */
export function renderStop(queue: QueueAddress, data: StopEvent): string {
  if (data.type === "stall_changed")
    return data.stall === null
      ? "The alarm that nothing merges ends."
      : html`Alarm: nothing has merged for too long. First in the queue is <a href="${pullRequestPath(queue, data.stall.pr)}">#${data.stall.pr}</a>.`;
  if (data.type === "freeze_changed")
    return data.freeze === null
      ? "The freeze of the queue ends."
      : said(`the queue is frozen until ${renderEnd(data.freeze)}: ${data.freeze.reason}`);
  const { to, reason } = data;
  const change = `the queue is ${statusChanges[to]}`;
  if (reason.code !== "CONFIGURED") return said(`${change}: ${renderReason(reason)}`);
  return said(`${change} by ${reason.by}${reason.note === undefined ? "" : `: ${reason.note}`}`);
}

/** A step as HTML. Names of tests are left out, because the page may be public. */
export function renderStep(data: Exclude<EntryEvent, EventOf<"run_started">>): string {
  switch (data.type) {
    case "entry_admitted": {
      const head = `${renderReason(data.reason)} at ${data.headSha.slice(0, 7)}, priority ${data.priority.name}`;
      return said(data.actor.reason === undefined ? head : `${head}. The reason: ${data.actor.reason}`);
    }
    case "entry_revised":
      return said(
        `${renderActor(data.actor)} submitted it again, priority ${data.priority.name}${data.noBatch ? ", without a batch" : ""}`,
      );
    case "entry_aged":
      return said("it has waited so long that only urgent pull requests can still overtake it");
    case "entry_moved":
      return html`<span class="state ${data.to}">${data.to.replaceAll("_", " ")}</span> !${said(renderReason(data.reason))}`;
    case "entry_held":
      return said(renderReason({ code: "CONFLICT_WITH_AHEAD", prs: data.behind }));
    case "entry_delayed":
      return said(`it is tested again at ${timeOf(data.retryAt)} or later`);
    case "direct_merge_declined":
      return said(`it needs a test: ${renderObstacle(data.because)}`);
    case "run_retried":
      return said("failed checks run again, because only tests failed that are known to be flaky, or new");
    case "run_retry_refused":
      return said(renderReason(data.reason));
    case "run_missing_checks":
      return said(
        data.names.length === 0
          ? "the missing checks have appeared"
          : inSentences(
              `required checks have not appeared: ${data.names.join(", ")}`,
              brokenWorkflowsHint(data.brokenWorkflows) ?? "",
            ),
      );
    case "run_requirements_changed": {
      const added = data.added.map((name) => `${name} must pass`);
      const removed = data.removed.map((name) => `${name} need not pass any more`);
      return said(`the required checks changed: ${[...added, ...removed].join(", ")}`);
    }
    case "merge_started":
      return said("its merge is ordered");
    default:
      return assertNever(data);
  }
}
