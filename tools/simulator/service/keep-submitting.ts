import { keepSaying, waitWhile } from "./say.ts";
import type { Way } from "./service-plan.ts";
import type { AuthorParts } from "./virtual-author.ts";
import type { VirtualCodeHost } from "./virtual-code-host.ts";
import { alice, submitLabel } from "./virtual-pull-requests.ts";
import type { VirtualTime } from "./virtual-time.ts";

interface Submission {
  readonly way: Way;
  /** Whether its author still wants it to be merged. */
  readonly isWanted: () => boolean;
  /** The head that a call of the API names; null = none. */
  readonly expectedHead: string | null;
}

/** Submits a pull request, again and again until it is in the queue, has merged, or is no longer wanted. */
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
        // If an earlier call submitted it and lost its answer, it may have merged since.
        return { ok: answer.ok || model.pullRequest(pr).state === "merged" };
      });
  }
}

const thinkMs = 20_000;
/** What comments say when the label or auto-merge was refused, or when the pull request is not in the queue, except after a failure. */
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
    // It is there still if nobody noticed it before the pull request was closed.
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
