import * as z from "zod";

const ownersAndNames = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** The object `repo`. Owner and name are case-insensitive, as on GitHub. */
export const repository = z.strictObject({
  host: z
    .string()
    .regex(/^[\w.:-]{1,253}$/, { error: "must be a host name, as in github.com" })
    .describe("The code host that holds the repository: `github.com`, or a GitHub Enterprise Server."),
  owner: z
    .string()
    .regex(ownersAndNames, { error: "must be the login of an owner, as in the repository's address" })
    .describe("The organisation or user that owns the repository."),
  name: z
    .string()
    .regex(ownersAndNames, { error: "must be the name of a repository, without its owner" })
    .describe("The repository's name, without its owner."),
});

export interface RepositoryBody {
  readonly repo: z.output<typeof repository>;
}

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

/** All digits, because anybody can make another commit with the same first digits. */
export const headSha = z
  .string()
  .regex(/^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/, {
    error: "must be the full SHA of the pull request's head commit",
  })
  .toLowerCase();

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
