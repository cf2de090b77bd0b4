import type { MergeMethod } from "../engine/model/settings.ts";
import type { TestCommitStep } from "../ports/test-commit-plan.ts";

/**
 * The message of a test commit. With `merge_commit` that commit is merged itself, so it refers to its pull request as GitHub's own
 * merge commits do; only words that make CI skip it are taken apart, because a skipped test never reports. With `squash` GitHub writes
 * the commit that merges, and the test commit is muted.
 * Source: GitHub, "Skipping workflow runs".
 */
export function testCommitMessage(method: MergeMethod, owner: string, step: TestCommitStep): string {
  if (method === "merge_commit") {
    const { title = `Merge pull request #${step.pr} from ${owner}/${step.headRef}`, body = step.title } =
      step.message ?? {};
    return defuseSkipWords(joined(title, body));
  }
  const { title = `${step.title} (#${step.pr})`, body = "" } = step.message ?? {};
  return muteMessage(joined(title, body));
}

function joined(title: string, body: string): string {
  return body === "" ? title : `${title}\n\n${body}`;
}

/** An invisible space within: GitHub reads neither a reference, nor a mention, nor an address. */
const invisible = "\u200b";

/**
 * The message of a commit that only tests, without effect on GitHub: pushing a commit that says `#12` puts a line on the timeline of
 * #12, and `@name` tells that person of it. CI does not skip it.
 */
export function muteMessage(message: string): string {
  return defuseSkipWords(message).replaceAll(
    /#(?=\w)|(?<![\w.+-])@(?=\w)|\bGH-(?=\d)|:(?=\/\/)/gi,
    `$&${invisible}`,
  );
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
