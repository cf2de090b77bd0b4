import { html } from "ghtml";
import { type Entry, isTerminal } from "../../engine/model/entry.ts";
import { testedSha } from "../../engine/model/test-run.ts";
import type { FailedCheck } from "../../engine/reasons/reason.ts";
import { reasonGuides } from "../../engine/reasons/reason-guide.ts";
import { renderProof, renderReason } from "../../engine/reasons/render-reason.ts";
import { asSentence, capitalised, timeOf } from "../../engine/reasons/sentence.ts";
import type { EntryStory } from "../../service/queues/entry-stories.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { type Controls, renderEntryControls, renderResubmission } from "../controls/controls.ts";
import { pullRequestPath } from "../paths.ts";
import { renderProse } from "../reference/api-document.ts";
import { renderAgo, renderDuration, renderFor } from "../times.ts";
import { lasting, linksTo, linkTo, linkToCommit, linkToTree, withLinks } from "./parts.ts";
import { type RunReports, renderRuns, renderTests } from "./test-runs.ts";
import { renderTimeline } from "./timeline.ts";

/** Renders the frame of the page. Its contents are replaced whenever the queue changes. */
export function renderStoryPage(queue: QueueAddress, pr: number, content: string): string {
  return html`<main class="story" hx-sse:connect="${pullRequestPath(queue, pr)}/live" hx-swap="innerMorph">!${content}</main>`;
}

/** The data of the page in addition to the story. */
export interface StoryContext {
  readonly reports: RunReports;
  readonly commandPrefix: string;
  /** Null = the visitor may change nothing. */
  readonly controls: Controls | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Renders what happened to a pull request in a queue, and what happens next. */
export function renderStory(story: EntryStory, context: StoryContext): string {
  return html`
!${head(story, context)}
!${isTerminal(story.view.entry.state) ? renderEnd(story, context) : renderChain(story, context)}
!${renderRuns(story, context.reports, context.now)}
!${renderTimeline(story, context.now)}`;
}

function head({ view }: EntryStory, { now, controls }: StoryContext): string {
  const { entry, position, forecast, why } = view;
  const since = isTerminal(entry.state)
    ? renderAgo(entry.stateChangedAt, now)
    : html`for !${renderFor(entry.stateChangedAt, now)}`;
  // What stops the whole queue is more important than what the pull request itself waits for.
  const cause = why.find(({ code }) => code === "QUEUE_NOT_RUNNING" || code === "FROZEN") ?? why.at(-1);
  const sentence = asSentence(capitalised(cause?.text ?? renderReason(entry.reason)));
  return html`
<section class="head">
  <h1><span class="quiet">#${entry.pr}</span> <bdi>${entry.title}</bdi></h1>
  <p class="facts">
    <span><span class="state ${entry.state}">${entry.state.replaceAll("_", " ")}</span> !${since}</span>
    !${position === null ? "" : html`<span>place ${position} in the queue</span>`}
    !${forecast === null ? "" : html`<span>merges ${inAbout(forecast.p50, now)}, at worst ${inAbout(forecast.p90, now)}</span>`}
    <span>by <bdi>${entry.author}</bdi></span>
    <span>head !${linkToCommit(entry, entry.headSha)}</span>
    !${entry.priority.isDefault ? "" : html`<span>priority ${entry.priority.name}</span>`}
    <span>!${linkTo(entry.url, "pull request on GitHub")}</span>
  </p>
  <p class="lead">!${withLinks(sentence, cause?.refs.flatMap(numberOf) ?? [])}</p>
  !${renderEntryControls(controls, entry)}!${renderResubmission(controls, entry)}
</section>`;
}

/** Renders the causes that keep it from merging, from the outermost to its own. */
function renderChain(story: EntryStory, { now }: StoryContext): string {
  const { why, entry } = story.view;
  const items = why.map(({ text, refs, since, until }) => {
    const times = `for ${renderDuration(now - since)}${until === undefined ? "" : `, at the latest until ${timeOf(until)}`}`;
    return html`<li>!${withLinks(asSentence(capitalised(text)), refs.flatMap(numberOf))} <span class="quiet">${times}</span></li>`;
  });
  const { code } = entry.reason;
  const { advice } = reasonGuides[code];
  const shown =
    advice === null ? "" : html`<p>!${renderProse(`${reasonGuides[code].meaning} ${advice}`)}</p>`;
  return html`<section><h2>Why it has not merged yet</h2><ol class="chain">!${items}</ol>!${shown}</section>`;
}

/** Renders why it left the queue and what to do, or the proof of its merge. */
function renderEnd(story: EntryStory, { commandPrefix, reports }: StoryContext): string {
  const { entry } = story.view;
  const { meaning, advice } = reasonGuides[entry.reason.code];
  const proof = renderMergeProof(story);
  if (entry.state === "merged" && proof !== "" && advice === null) return proof;
  const failed =
    entry.reason.code === "CHECKS_FAILED" || entry.reason.code === "TESTS_CANCELLED"
      ? entry.reason.checks
      : [];
  const last = failed.length > 0 ? story.runs.find(({ run }) => run.id === entry.runId) : undefined;
  const again = `comment \`${commandPrefix} merge\` to queue it again.`;
  const todo =
    entry.state === "merged"
      ? (advice ?? "")
      : advice === null
        ? capitalised(again)
        : `${advice} Then ${again}`;
  return html`
<section><h2>${entry.state === "merged" ? "How it merged" : "Why it left the queue"}</h2>
<p>!${renderProse(meaning)} <code>${entry.reason.code}</code></p>
!${failed.length === 0 ? "" : html`<ul class="checks">!${failed.map(failedCheck)}</ul>`}
!${last && reports ? renderTests(story, last.run, reports.tests.get(last.run.id) ?? [], "<h3>Failed tests</h3>") : ""}
!${todo === "" ? "" : html`<p><strong>What to do:</strong> !${renderProse(todo)}</p>`}
</section>
!${proof}`;
}

function failedCheck({ name, conclusion, url }: FailedCheck): string {
  return html`<li><span class="check failed">${conclusion.replaceAll("_", " ")}</span> !${linkTo(url, html`<bdi>${name}</bdi>`)}</li>`;
}

/** A probable time in the future, to the minute. */
function inAbout(at: number, now: number): string {
  const minutes = Math.max(1, Math.round((at - now) / 60_000));
  return `in about ${lasting(minutes * 60_000)} (${timeOf(at)})`;
}

/** The number in a reference such as `#12`. */
function numberOf(ref: string): readonly number[] {
  return /^#\d+$/.test(ref) ? [Number(ref.slice(1))] : [];
}

/** Renders the proof that the merged tree passed; empty if the queue did not merge it. */
export function renderMergeProof(story: EntryStory): string {
  const { entry } = story.view;
  const { reason } = entry;
  if (reason.code === "TREE_MISMATCH")
    return section("problem", "The tree on the branch is not the tree that was tested.", [
      ["Tested", html`the tree <code>${reason.expectedTree.slice(0, 7)}</code>`],
      ["Merged", commitWithTree(entry, reason.sha, reason.actualTree)],
    ]);
  if (reason.code === "DIRECT_MERGED")
    return section("proof", `It is ${renderProof(reason.proof)}.`, [
      ["Head", commitWithTree(entry, entry.headSha, null)],
      ["Merged", commitWithTree(entry, reason.sha, null)],
    ]);
  if (reason.code !== "MERGED_IN_ORDER") return "";
  const run = story.provedBy?.run;
  const step = run?.commits.find(({ pr }) => pr === entry.pr);
  const tested = run && testedSha(run);
  const isEqual = reason.proof === "exact" || reason.proof === "same_tree";
  const tree = isEqual && step ? step.treeSha : null;
  const others = run?.members.filter((pr) => pr !== entry.pr) ?? [];
  return section("proof", `It is ${renderProof(reason.proof)}.`, [
    ...(tested ? [["Tested", commitWithTree(entry, tested, tree)] as const] : []),
    ...(others.length > 0 ? [["Tested with", linksTo(others)] as const] : []),
    ["Merged", commitWithTree(entry, reason.sha, tree)],
  ]);
}

/** A commit, and the files at it under the name of its tree; null = the tree is not known. */
function commitWithTree(entry: Entry, sha: string, tree: string | null): string {
  const commit = `commit ${linkToCommit(entry, sha)}`;
  return tree === null ? commit : `${commit} with the tree ${linkToTree(entry, sha, tree)}`;
}

function section(mark: string, verdict: string, facts: readonly (readonly [string, string])[]): string {
  const list = facts.map(([name, content]) => html`<div><dt>${name}</dt><dd>!${content}</dd></div>`);
  return html`<section><h2>Proof</h2><p class="${mark}">${verdict}</p><dl class="facts-list">!${list}</dl></section>`;
}
