import type { MergeMethod } from "../engine/settings.ts";
import type { TestCommitStep } from "../ports/code-host.ts";

/**
 * The message of a test commit, which with `merge_commit` is also that of the commit on the base. Words that make CI skip a
 * commit are taken apart: a skipped test would never report. Mentions and references stay out of scratch history for the
 * same reason that closing keywords do: GitHub would act on them.
 * Source: GitHub, "Skipping workflow runs".
 */
export function testCommitMessage(method: MergeMethod, owner: string, step: TestCommitStep): string {
  const title = defuseSkipWords(step.title);
  if (method === "merge_commit") {
    return `Merge pull request #${step.pr} from ${owner}/${step.headRef}\n\n${title}`;
  }
  return `${title} (#${step.pr})`;
}

/** The message of a commit on the scratch branch. It keeps CI that listens to every branch from starting. */
export function scratchMessage(subject: string): string {
  return `${defuseSkipWords(subject)}\n\nOnly to compute a tree: no test belongs here. [skip ci]`;
}

const skipWords = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;

export function defuseSkipWords(text: string): string {
  return text
    .replace(skipWords, (_match, words: string) => `(${words.replace(/\s+/, "-")})`)
    .replace(/^(skip-checks)\s*:/gim, "$1 =");
}
