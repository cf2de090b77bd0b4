import type { MergeMethod } from "../../engine/model/settings.ts";
import type { TestCommitStep } from "../../ports/code-host/merging.ts";

/**
 * The message of a test commit. With `merge_commit`, the test commit itself is merged, so it refers to its pull request as GitHub's own
 * merge commits do. Only words that make CI skip it are changed, because a skipped test never reports. With `squash`, GitHub writes the
 * message of the merged commit, so that of the test commit is muted. Source: GitHub, "Skipping workflow runs".
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

/** A zero-width space. With it inside, GitHub recognises no reference, mention or address. */
const invisible = "\u200b";

/**
 * The message of a commit that is only tested, without effects on GitHub: pushing a commit that contains `#12` adds a line to the
 * timeline of #12, and `@name` notifies that person. CI does not skip the commit.
 */
export function muteMessage(message: string): string {
  return defuseSkipWords(message).replaceAll(
    /#(?=\w)|(?<![\w.+-])@(?=\w)|\bGH-(?=\d)|:(?=\/\/)/gi,
    `$&${invisible}`,
  );
}

/** The message of a commit on the scratch branch. It prevents CI that runs on every branch. */
export function scratchMessage(subject: string): string {
  return `${defuseSkipWords(subject)}\n\nOnly to compute a tree: no test belongs here. [skip ci]`;
}

const skipWords = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/gi;

export function defuseSkipWords(text: string): string {
  return text
    .replace(skipWords, (_match, words: string) => `(${words.replace(/\s+/, "-")})`)
    .replace(/^(skip-checks)\s*:/gim, "$1 =");
}
