import { html } from "ghtml";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { ReplayFigures } from "../../replay/replay-recording.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { whatIfPath } from "../paths.ts";
import { type Column, renderRows, tableHead } from "../table.ts";
import { choices, mostDays, type WhatIfForm, type WhatIfQuestion } from "./question.ts";
import type { WhatIfMessage } from "./what-if-thread.ts";

/** Renders the form and the text above the answer. */
export function renderWhatIfForm(
  { repo, branch, settings }: QueueAddress & { readonly settings: QueueSettings },
  form: WhatIfForm,
  problem: string | null,
): string {
  const choice = (name: keyof typeof choices, label: string) => {
    const options = Object.entries(choices[name]).map(
      ([value, words]) =>
        html`<option value="${value}"!${value === form[name] ? " selected" : ""}>${words}</option>`,
    );
    return html`<label>${label} <select name="${name}">!${options}</select></label>`;
  };
  const now = settings.batch ? `batches (${settings.batchSizing.replace("_", " ")})` : "no batches";
  return html`<h1>What if? <span class="quiet">${repo.owner}/${repo.name}</span> <span class="branch">${branch}</span></h1>
<p>Replays the last days of this queue with other settings, and compares waits and CI time. It changes nothing.</p>
<p class="facts"><span>Now:</span><span>${settings.concurrency} at once</span><span>${now}</span><span>mode ${settings.mode}</span><span>policy ${settings.policy}</span></p>
!${problem === null ? "" : html`<p class="problem" role="alert">${problem}</p>`}
<form class="search" method="get" action="${whatIfPath({ repo, branch })}">
  <label>Last days <input type="number" name="days" min="1" max="${mostDays}" value="${form.days}" required></label>
  <label>Tests at once <input name="concurrency" value="${form.concurrency}" maxlength="100" required></label>
  !${choice("batch", "Batches")}
  <label>Batch size <input type="number" name="size" min="1" max="1000" value="${form.size}"></label>
  !${choice("mode", "Mode")}
  !${choice("policy", "Policy")}
  <label>Keep p95 below, minutes <input type="number" name="p95" min="1" max="100000" value="${form.p95}" placeholder="not asked"></label>
  <button>Replay</button>
</form>`;
}

const columns: readonly Column[] = [
  { label: "Settings", kind: "main" },
  { label: "Wait p50", kind: "number" },
  { label: "Wait p95", kind: "number" },
  { label: "CI time", kind: "number" },
  { label: "Test runs", kind: "number" },
  { label: "Merged", kind: "number" },
  { label: "Failed", kind: "number" },
  { label: "Others", kind: "number" },
];

/** Renders the answer part by part, so that each row appears when it is computed. */
export async function* renderAnswer(
  messages: AsyncIterable<WhatIfMessage>,
  { days, concurrencies, p95, words }: WhatIfQuestion,
  now: QueueSettings,
): AsyncGenerator<string> {
  const found: { readonly concurrency: number; readonly figures: ReplayFigures }[] = [];
  let replayed: ReplayFigures | null = null;
  let assumptions: readonly string[] = [];
  const violations: string[] = [];
  for await (const message of messages) {
    switch (message.kind) {
      case "waits":
        yield html`<p class="quiet">Another replay is computed first.</p>`;
        break;
      case "empty":
        return yield html`<p class="empty">Nothing was tested in ${lastDays(days)}. Choose more days.</p>`;
      case "too_large":
        return yield html`<p class="problem">More happened in ${lastDays(days)} than can be replayed here. Choose fewer days, or use <code>trainyard replay</code>.</p>`;
      case "too_slow":
        yield html`</tbody></table></div><p class="problem">This took too long, so the rest is missing. Choose fewer days.</p>`;
        return;
      case "recorded":
        ({ assumptions } = message);
        yield html`<section><h2>Compared over ${lastDays(days)}</h2><p class="quiet">Each row appears when it is computed. Waits count from when a pull request could be tested. Percentages compare with the queue as it is now. Others: cancelled, or still in the queue.</p><div class="across" tabindex="0" role="region" aria-label="Comparison"><table class="stacks">!${tableHead(columns)}<tbody>!${rowOf("as it happened", message.figures, null)}`;
        break;
      case "replayed": {
        const { variant, figures } = message;
        violations.push(...message.violations);
        const concurrency = variant === null ? now.concurrency : (concurrencies[variant] ?? 0);
        if (variant === null) replayed = figures;
        else found.push({ concurrency, figures });
        const name =
          variant === null ? "replayed as it is now" : [`${concurrency} at once`, ...words].join(", ");
        yield rowOf(name, figures, variant === null ? null : replayed);
        break;
      }
    }
  }
  const answer = p95 === null ? "" : html`<p role="status"><strong>${answerOf(found, p95)}</strong></p>`;
  const wrong = violations.map(
    (one) => html`<p class="problem">The replay found a defect of Trainyard: ${one}</p>`,
  );
  yield html`</tbody></table></div>!${answer}!${wrong}</section>
<section><h2>What this assumes</h2><p>The closer the second row is to the first, the more reliable are the others.</p><ul>!${assumptions.map((one) => html`<li>${one}</li>`)}<li>Pull requests that were in the queue before these days are left out.</li></ul></section>`;
}

function lastDays(days: number): string {
  return days === 1 ? "the last day" : `the last ${days} days`;
}

/** Which concurrency keeps p95 below a limit. */
function answerOf(
  found: readonly { readonly concurrency: number; readonly figures: ReplayFigures }[],
  limit: number,
): string {
  const measured = found.flatMap(({ concurrency, figures: { waitP95 } }) =>
    waitP95 === null ? [] : [{ concurrency, p95: waitP95 }],
  );
  const enough = measured.find(({ p95 }) => p95 < limit);
  if (enough)
    return `${enough.concurrency} at once is enough to keep p95 below ${limit} min: it would be ${minutes(enough.p95)}.`;
  const best = measured.toSorted((a, b) => a.p95 - b.p95)[0];
  if (!best) return "Nothing would merge, so there is no p95.";
  return `None of these keeps p95 below ${limit} min. The best is ${best.concurrency} at once with ${minutes(best.p95)}.`;
}

/** @param now the figures to compare with; null = none */
function rowOf(name: string, figures: ReplayFigures, now: ReplayFigures | null): string {
  const { waitP50, waitP95, ciMinutes, runs, merged, failed, others } = figures;
  const cells = [
    html`${name}`,
    minutes(waitP50) + change(waitP50, now?.waitP50),
    minutes(waitP95) + change(waitP95, now?.waitP95),
    minutes(ciMinutes) + change(ciMinutes, now?.ciMinutes),
    ...[runs, merged, failed, others].map(String),
  ];
  return renderRows(columns, [{ cells }]);
}

const wholeNumber = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

function minutes(value: number | null): string {
  if (value === null) return "–";
  return `${value < 100 ? value.toFixed(1) : wholeNumber.format(value)} min`;
}

function change(value: number | null, before: number | null | undefined): string {
  if (value === null || !before) return "";
  const share = Math.round(100 * (value / before - 1));
  return html`<small>${share > 0 ? "+" : share < 0 ? "−" : "±"}${Math.abs(share)} %</small>`;
}
