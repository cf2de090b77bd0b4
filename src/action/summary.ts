import type { Entry } from "./step.ts";
import type { Subject } from "./subject.ts";

/** What a step adds to the job's summary. */
export interface Summary {
  readonly command: string;
  readonly isFailure: boolean;
  readonly title: string;
  readonly message: string;
  /** Null when it is not known which pull request was meant. */
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

/** Why a pull request is where it is, from the outermost cause on. */
export function renderChain({ why }: Entry): string[] {
  return why.map(({ text, since }) => `- ${escapeMarkdown(text)} (since ${since})`);
}

/** Text of strangers, such as a title, as Markdown that shows it as it is. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_{}[\]<>#|~&@!]/g, "\\$&");
}

/** Text as Markdown code, whatever is in it. */
export function code(text: string): string {
  const fence = "`".repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  return `${fence} ${text.replaceAll(/\s+/g, " ")} ${fence}`;
}

function subjectLine({ pr, url, queue: { repo, targetBranch } }: Subject): string {
  return `[${escapeMarkdown(`${repo.owner}/${repo.name}`)}#${pr}](${url}), queue of ${code(targetBranch)}`;
}
