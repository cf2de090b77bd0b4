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
