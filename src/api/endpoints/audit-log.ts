import * as z from "zod";
import { accepted, refused } from "../../service/runtime/outcome.ts";
import type { AuditRecord } from "../../store/access/audit-log.ts";
import { reaches } from "../access/authenticate.ts";
import { organisationEndpoint } from "../endpoint.ts";
import { repository } from "../schema/addresses.ts";
import {
  cursor,
  renderCursor,
  renderTimestamp,
  time,
  timestamp as timestampSchema,
} from "../schema/fields.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable();

export const auditEntry = z.object({
  id: z.int(),
  at: timestampSchema,
  action: z.string().describe("An endpoint, or `createToken`, `revokeToken`."),
  outcome: z
    .enum(["done", "refused", "failed"])
    .describe("`failed`: an error of the service; the command may have been carried out."),
  code: z.string().nullable().describe("Why it was refused or failed."),
  times: z
    .int()
    .describe("1, or how often an actor was refused the same within a minute after the entry before."),
  actor: z.object({
    kind: z.enum(["token", "user", "workflow", "fork_run", "operator"]),
    id: z
      .string()
      .describe("A token's id, a login, an OIDC subject, the id of a run, a user of the machine."),
    name: z.string(),
  }),
  via: z.enum(["api", "action", "comment", "label", "auto_merge", "check", "dashboard", "cli"]),
  repo: z.object({ host: z.string(), owner: z.string(), name: z.string() }).nullable(),
  targetBranch: z.string().nullable(),
  prNumber: z.int().nullable(),
  tokenId: z.string().nullable().describe("The token that was created or revoked."),
  subject: z
    .object({ kind: z.enum(["webhook", "test"]), id: z.string(), name: z.string() })
    .nullable()
    .describe("The webhook or the test that it is about."),
  changes: z
    .array(z.object({ field: z.string(), from: value, to: value }))
    .nullable()
    .describe(
      "What it changed: fields by their names in this API, with null for no value. Long values are cut, and secrets are hidden. Empty when it changed nothing. Null when it was not done, when actions of its kind list no changes, and in entries of earlier versions.",
    ),
  reason: z.string().nullable().describe("Why it was done, in the actor's words."),
  address: z
    .string()
    .nullable()
    .describe(
      "Where it came from; null for comments, labels and commands, and for people without an API token.",
    ),
  userAgent: z.string().nullable(),
  requestId: z.string().nullable().describe("As in the `x-request-id` of the answer, and in the log."),
});

export const listAuditLog = organisationEndpoint(
  {
    summary:
      "Lists who did what in the token's organisation, or in a repository that a person administers, and what was refused, newest first.",
    scope: "admin",
    accepts: ["person"],
    kind: "question",
    finds: true,
    body: z.strictObject({
      repo: repository
        .optional()
        .describe(
          "Only entries about this repository; people have to name one. An unknown repository without entries is refused.",
        ),
      action: z.string().optional().describe("Only this action, such as `submitPullRequest`."),
      actor: z
        .string()
        .optional()
        .describe("Only actions of this actor: the id of a token, a login, or an OIDC subject, in any case."),
      since: time.optional().describe("Only at or after this time."),
      until: time.optional().describe("Only before this time."),
      cursor: cursor.optional().describe("The nextCursor of the previous page."),
      take: z.int().min(1).max(100).default(50).describe("The largest number of entries to answer."),
    }),
    answer: z.object({
      entries: z.array(auditEntry),
      nextCursor: z.string().nullable().describe("The cursor of the next page; null on the last one."),
    }),
  },
  async (
    { repo, action, actor, since, until, cursor: after, take },
    { audit, organisation, principal, testRepositories },
  ) => {
    const { records, next } = await audit.list({
      organisation,
      repo: repo ?? null,
      action: action ?? null,
      actor: actor ?? null,
      since: since ?? null,
      until: until ?? null,
      after: after ? { at: after[0], id: after[1] } : null,
      limit: take,
    });
    // The repository may have been deleted, so only an empty answer shows that its name may be misspelt.
    if (repo && records.length === 0) {
      // The same words, whether or not another organisation has the repository.
      if (!reaches(principal, repo)) return refused({ code: "REPOSITORY_NOT_FOUND" });
      const missing = await testRepositories.check(repo);
      if (missing) return missing;
    }
    const entries = records.map(present);
    // Who administers a repository must not learn the addresses of its other users, as on GitHub.
    const withoutOrigin = { address: null, userAgent: null };
    return accepted({
      entries: principal.kind === "person" ? entries.map((one) => ({ ...one, ...withoutOrigin })) : entries,
      nextCursor: next && renderCursor([next.at, next.id]),
    });
  },
);

function present(record: AuditRecord): z.output<typeof auditEntry> {
  const { organisation: _, at, branch, pr, token, times = 1, ...rest } = record;
  return { ...rest, times, at: renderTimestamp(at), targetBranch: branch, prNumber: pr, tokenId: token };
}
