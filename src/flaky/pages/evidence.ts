import { html } from "ghtml";
import { renderAgo } from "../../dashboard/times.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { counted } from "../../engine/reasons/sentence.ts";
import { type Evidence, isForFlaky } from "../detection/evidence.ts";
import type { RunSource } from "../detection/pull-requests.ts";
import type { TestWithStory } from "../service/test-reader.ts";
import type { TestStory } from "../store/reads/test-records.ts";
import { renderPullRequest, renderRun, type TestView } from "./parts.ts";

const mostShown = 5;

/** Renders what detection remembers of a test, as sentences for and against its being flaky. */
export function renderEvidence({ story }: TestWithStory, view: TestView): string {
  const { evidence, suspectRuns } = story;
  const [proofs, doubts] = [evidence.filter(isForFlaky), evidence.filter((one) => !isForFlaky(one))];
  const reasons = proofs.slice(0, mostShown).map((one) => renderOne(one, story, view));
  const more = proofs.length - reasons.length;
  const against = [
    ...doubts.map((one) => renderOne(one, story, view)),
    ...(proofs.some(({ code }) => code === "FLIPPED")
      ? []
      : ["No run is remembered that passed and failed on the same code."]),
    ...(suspectRuns === 0
      ? []
      : [
          html`${counted(suspectRuns, "failed run")} of the last 30 days ${suspectRuns === 1 ? "is" : "are"} left out: so many tests failed there at once that the cause was outside of this test.`,
        ]),
  ];
  return html`<section class="evidence">
  <h2>Evidence that it is flaky</h2>
  !${reasons.length === 0 ? html`<p class="empty">There is none.</p>` : html`<ul>!${reasons.map(asItem)}!${more > 0 ? html`<li class="quiet">and ${more} more</li>` : ""}</ul>`}
  <h2>Evidence against</h2>
  !${against.length === 0 ? html`<p class="empty">There is none.</p>` : html`<ul>!${against.map(asItem)}</ul>`}
</section>`;
}

function asItem(content: string): string {
  return html`<li>!${content}</li>`;
}

function renderOne(one: Evidence, { runsByTree }: TestStory, view: TestView): string {
  const { repo, now } = view;
  const line = one.line === "" ? "stable branches" : html`<span class="branch">${one.line}</span>`;
  switch (one.code) {
    case "FLIPPED": {
      const runs = (runsByTree.get(one.tree) ?? []).map(
        (run) =>
          html`<li><span class="check ${run.outcome}">${outcomes[run.outcome]}</span> !${renderRun(view, run)}</li>`,
      );
      const crowd =
        one.weight < 1
          ? html` Other tests did so at the same time, so it counts only ${Math.round(one.weight * 100)} %.`
          : "";
      return html`It passed and failed on the same code (tree <code>${one.tree.slice(0, 7)}</code>) !${placesOf(one.sources, line, repo)}, !${renderAgo(one.at, now)}.!${crowd}!${runs.length === 0 ? "" : html`<ul class="checks">!${runs}</ul>`}`;
    }
    case "FAILED_NOW_AND_THEN":
      return html`It failed ${counted(one.times, "separate time")} on !${line}, and passed in between.`;
    case "UNMERGED_CHANGES":
      return html`Only changes that are not on !${line} have shown that, and they may be the cause. It counts as flaky once it passes and fails on the same code of !${line}, fails there twice, or ${one.needed} changes with nothing in common have shown it.`;
    case "PULL_REQUEST_BREAKS_IT":
      return html`It fails in !${nameOf(one.pullRequest, repo)} more often than flakiness explains, so its failures there count.`;
    case "FAILED_IN_A_ROW":
      return html`It failed in the last ${one.failures} runs in a row on !${line}. From ${one.needed} on, it counts as broken and not as flaky.`;
    case "RECOVERING":
      return html`It last failed !${renderAgo(one.since, now)} and has passed ${counted(one.clean, "time")} in a row since then. After ${one.needed} it counts as healthy.`;
    case "RECOVERED":
      return html`It passed ${one.runs} times in a row, more than it would if it were still flaky, !${renderAgo(one.at, now)}.`;
  }
}

const outcomes = { passed: "passed", flaky: "failed, then passed", failed: "failed" } as const;

function placesOf(sources: readonly RunSource[], line: string, repo: RepositoryRef): string {
  const places = sources.map(({ kind, name }) => {
    if (kind === "pr") return `in ${nameOf(name, repo)}`;
    return kind === "queue" ? "in the queue" : `on ${line}`;
  });
  return [...new Set(places)].join(" and ");
}

/** A run of a pull request whose number is not known is named after its branch. */
function nameOf(name: string, repo: RepositoryRef): string {
  const [, pr] = /^#(\d+)$/.exec(name) ?? [];
  return pr === undefined ? html`<bdi>${name}</bdi>` : renderPullRequest(repo, Number(pr));
}
