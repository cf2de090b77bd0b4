import { asClause } from "../engine/reasons/sentence.ts";
import type { Entry } from "./step.ts";
import type { Subject } from "./subject.ts";

/** What a step adds to the job's summary. */
export interface Summary {
  readonly command: string;
  readonly isFailure: boolean;
  readonly title: string;
  readonly message: string;
  /** Null when the pull request is not known. */
  readonly subject: Subject | null;
  /** Lines of Markdown. */
  readonly details: readonly string[];
}

export function renderSummary({ command, isFailure, title, message, subject, details }: Summary): string {
  return [
    `### Trainyard ${command}: ${escapeMarkdown(title)}`,
    "",
    ...(subject ? [subjectLine(subject), ""] : []),
    `${isFailure ? "**Failed.** " : ""}${escapeMarkdown(message)}`,
    "",
    ...details,
    "",
  ].join("\n");
}

/** The reasons for a pull request's state, from the outermost cause on. */
export function renderChain({ why }: Entry): string[] {
  return why.map(({ text, since }) => `- ${escapeMarkdown(text)} (since ${since})`);
}

/** Escapes untrusted text, such as a title, so that Markdown shows it literally. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|~&@!]/g, "\\$&");
}

/** Text as Markdown code. The fence is longer than any run of backticks in the text. */
export function code(text: string): string {
  const fence = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${fence} ${text.replaceAll(/\s+/g, " ")} ${fence}`;
}

function subjectLine({ pr, url, queue: { repo, targetBranch } }: Subject): string {
  return `[${escapeMarkdown(`${repo.owner}/${repo.name}`)}#${pr}](${url}), queue of ${code(targetBranch)}`;
}

/** The state, the place and the innermost cause, in one line: `testing (position 2): its tests are running`. */
export function describeEntry(entry: Entry): string {
  return described(entry, entry.position === null ? [] : [`position ${entry.position}`]);
}

/** Adds the forecast: `testing (position 3, 2 ahead, merges in about 12 min, at worst 31): its tests are running`. */
export function describeProgress(entry: Entry, now: number): string {
  const { position, forecast } = entry;
  return described(entry, [
    ...(position === null ? [] : [`position ${position}`, `${position - 1} ahead`]),
    ...(forecast === null ? [] : [mergesIn(forecast, now)]),
  ]);
}

function described(entry: Entry, place: readonly string[]): string {
  const where = place.length === 0 ? "" : ` (${place.join(", ")})`;
  return `${stateText(entry)}${where}: ${asClause(entry.why.at(-1)?.text ?? entry.reason)}`;
}

function mergesIn({ p50, p90 }: NonNullable<Entry["forecast"]>, now: number): string {
  const [likely, worst] = [p50, p90].map((time) => Math.max(1, Math.ceil((Date.parse(time) - now) / 60_000)));
  return `merges in about ${likely} min${likely === worst ? "" : `, at worst ${worst}`}`;
}

export function stateText({ state }: Pick<Entry, "state">): string {
  return state.replaceAll("_", " ");
}

export function entryOutputs(entry: Entry): Record<"state" | "reason" | "test-run-id", string> {
  return { state: entry.state, reason: entry.reason, "test-run-id": entry.verifiedByTestRun ?? "" };
}
