import { keepAutoMerging } from "./keep-auto-merging.ts";
import { keepLabelling } from "./keep-labelling.ts";
import { keepSaying } from "./say.ts";
import type { Way } from "./service-plan.ts";
import type { AuthorParts } from "./virtual-author.ts";
import { alice } from "./virtual-comments.ts";

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
