import * as z from "zod";
import { repository } from "./repository.ts";

/**
 * Excludes the characters that git does not allow in a branch name. Source: `git help check-ref-format`. Half a surrogate pair is not valid
 * text.
 */
const branchNames = /^(?!.*\.\.)[^\p{Cc}\p{Cs} ~^:?*[\\]+$/u;

export const branchName = z
  .string()
  .max(255)
  .regex(branchNames, { error: "must be the name of a branch, without refs/heads/" });

/** The common fields of a merge queue's endpoints: they identify the queue of one branch. */
export const queueAddress = z.strictObject({
  repo: repository.describe("The repository of the queue."),
  targetBranch: branchName.describe("The branch that the queue merges into."),
});

export type QueueBody = z.output<typeof queueAddress>;
