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

/** The field that every request about a repository has. */
export interface RepositoryBody {
  readonly repo: z.output<typeof repository>;
}
