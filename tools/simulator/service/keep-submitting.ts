import type { Way } from "./service-plan.ts";
import type { AuthorParts } from "./virtual-author.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { alice, type PersonsComment, submitLabel, type VirtualComments } from "./virtual-pull-requests.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { VirtualWebhooks } from "./virtual-webhooks.ts";

interface Submission {
  readonly way: Way;
  /** Whether its author still wants it to be merged. */
  readonly isWanted: () => boolean;
  /** The head that a call of the API names; null = none. */
  readonly expectedHead: string | null;
}

/** Submits a pull request repeatedly until it is in the queue, has merged, or is no longer wanted. */
export async function keepSubmitting(
  pr: number,
  { way, isWanted, expectedHead }: Submission,
  author: AuthorParts,
): Promise<void> {
  const { insist, model, repository, branchOf } = author;
  switch (way) {
    case "comment":
      return keepSaying(pr, "/trainyard merge", isWanted, author);
    case "label":
      return keepLabelling(pr, isWanted, author);
    case "auto_merge":
      return keepAutoMerging(pr, isWanted, author);
    case "api":
      return insist(async ({ queues }) => {
        const answer = await queues.submit({
          ...{ repo: repository.ref, branch: branchOf(pr), pr, expectedHead },
          ...{ seenHead: null, priority: null, noBatch: null, actor: alice, via: "api" },
        });
        // An earlier call may have submitted it without an answer, and it may have merged since.
        return { ok: answer.ok || model.pullRequest(pr).state === "merged" };
      });
  }
}

/** How long people think about a refusal. */
const thinkMs = 20_000;
/** The texts of comments after a refused label or auto-merge, or about a pull request that is not in the queue, except after a failure. */
const asking = [
  "was removed again",
  "Auto-merge itself is still enabled",
  "Comment `/trainyard merge` to",
] as const;

interface LabellingParts {
  readonly time: VirtualTime;
  readonly host: VirtualCodeHost;
  /** How long people wait from now on until the service shows something. */
  readonly patienceMs: () => number;
}

/** Puts the label on a pull request. Does so again whenever a comment asks for it, as long as the pull request is wanted. */
async function keepLabelling(
  pr: number,
  isWanted: () => boolean,
  { time, host, patienceMs }: LabellingParts,
): Promise<void> {
  const isOn = () => host.labels.of(pr).includes(submitLabel);
  do {
    // The label may still be there, if nobody noticed it before the pull request was closed.
    if (isOn()) host.label(pr, "unlabeled", submitLabel, "alice");
    await time.pause(1_000);
    host.label(pr, "labeled", submitLabel, "alice");
    await waitWhile(time, () => isOn() && isWanted());
    await waitWhile(time, () => !asksAgain(pr, host) && isWanted(), patienceMs());
    await time.pause(thinkMs);
  } while (isWanted() && asksAgain(pr, host));
}

/** Whether a comment asks to submit the pull request again. */
function asksAgain(pr: number, { shown }: VirtualCodeHost): boolean {
  const [comment = ""] = shown.commentsOn(pr);
  return asking.some((text) => comment.includes(text));
}

/** Enables auto-merge on a pull request. Does so again whenever a comment asks for it, as long as the pull request is wanted. */
async function keepAutoMerging(
  pr: number,
  isWanted: () => boolean,
  { time, host, patienceMs }: LabellingParts,
): Promise<void> {
  do {
    if (host.autoMerge.enabledAt(pr) !== null) {
      host.setAutoMerge(pr, false);
      await time.pause(1_000);
    }
    const before = shown();
    host.setAutoMerge(pr, true);
    await waitWhile(time, () => shown() === before && isWanted(), patienceMs());
    await waitWhile(time, () => !asksAgain(pr, host) && isWanted(), patienceMs());
    await time.pause(thinkMs);
  } while (isWanted() && asksAgain(pr, host));

  function shown(): string | undefined {
    const [comment] = host.shown.commentsOn(pr);
    return comment;
  }
}

export interface SayParts {
  readonly time: VirtualTime;
  readonly comments: VirtualComments;
  readonly webhooks: VirtualWebhooks;
}

/** Comments once, and waits for a reaction. Returns whether the command was carried out. */
export async function say(pr: number, body: string, parts: SayParts): Promise<boolean> {
  const { time, comments, webhooks } = parts;
  const comment = comments.post(pr, body, time.now());
  webhooks.commented(comment);
  await waitWhile(time, () => !isAnswered(comment, comments));
  return comments.reactionsTo(comment).has("thumbs_up");
}

/** Comments until the command is carried out, or not wanted any more. */
export async function keepSaying(
  pr: number,
  body: string,
  isWanted: () => boolean,
  parts: SayParts,
): Promise<void> {
  while (!(await say(pr, body, parts))) {
    await parts.time.pause(thinkMs);
    if (!isWanted()) return;
  }
}

export function isAnswered(comment: PersonsComment, comments: VirtualComments): boolean {
  return comments.reactionsTo(comment).size > 0;
}

/** The interval at which people look, at first and after half an hour. */
const lookMs = 5_000;
const laterLookMs = 120_000;
const laterMs = 30 * 60_000;

/** Waits like a person who looks from time to time: while `holds`, or for `mostMs`. */
export async function waitWhile(
  time: VirtualTime,
  holds: () => boolean,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  for (let waitedMs = 0; holds() && waitedMs < mostMs; ) {
    const ms = waitedMs < laterMs ? lookMs : laterLookMs;
    await time.pause(ms);
    waitedMs += ms;
  }
}
