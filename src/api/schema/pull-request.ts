import * as z from "zod";
import { branchName } from "./queue-address.ts";

const maxNumber = 4_294_967_295;
const numberText = `must be the number of a pull request, 1…${maxNumber}, as a number or in digits`;

/** A pull request's number. Clients that upload targets send it as text. */
export const pullRequestNumber = z
  .union(
    [
      z.int().min(1).max(maxNumber),
      z
        .string()
        .regex(/^[1-9]\d{0,9}$/)
        .transform(Number)
        .refine((number) => number <= maxNumber),
    ],
    { error: (issue) => (issue.input === undefined ? undefined : numberText) },
  )
  .describe("The pull request's number; digits in a string are accepted too.");

/** All digits: anybody can make another commit with the same first digits. */
export const headSha = z
  .string()
  .regex(/^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, {
    error: "must be the full SHA of the pull request's head commit",
  })
  .toLowerCase();

/** A pull request by its number. */
export const byNumber = z.strictObject({ number: pullRequestNumber });

/** A pull request by its number or by its head branch. */
export const byNumberOrBranch = z
  .strictObject({
    number: pullRequestNumber.optional(),
    branch: branchName.optional().describe("The name of the pull request's head branch."),
  })
  .transform(({ number, branch }, context) => {
    if (number !== undefined && branch === undefined) return { pr: number };
    if (branch !== undefined && number === undefined) return { headRef: branch };
    context.addIssue({ code: "custom", message: "must have either a number or a branch" });
    return z.NEVER;
  });
