import * as z from "zod";
import type { InstalledRepository } from "../../ports/code-host/code-host.ts";

/**
 * The fields of GitHub's payloads that the handlers need, validated. A payload that does not match is a fault to investigate; missing
 * values are not guessed.
 */

/** GitHub sent a payload that the handlers do not understand. */
export class UnreadablePayload extends Error {
  override readonly name = "UnreadablePayload";
}

/** @throws UnreadablePayload */
export function readPayload<T>(schema: z.ZodType<T>, payload: unknown): T {
  const { data, error } = schema.safeParse(payload);
  if (error) throw new UnreadablePayload(z.prettifyError(error));
  return data as T;
}

const repository = z.object({
  id: z.number().optional(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
});
const installation = z.object({ id: z.number() });
const person = z.object({ login: z.string(), id: z.number(), type: z.string() });
const labels = z.array(z.object({ name: z.string() }));
const editedBody = z.object({ from: z.string().nullish() }).nullish();
const paths = z.array(z.string()).optional();
const anywhere = { repository, installation };

const pullRequest = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.enum(["open", "closed"]),
  draft: z.boolean().nullish(),
  updated_at: z.string(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
  /** Set for a pull request in a native stack. Its base is the branch into which the whole stack is to be merged. */
  stack: z.object({ base: z.object({ ref: z.string() }) }).nullish(),
  labels,
});

export const issueCommentPayload = z.object({
  ...anywhere,
  action: z.string(),
  issue: z.object({ number: z.number(), pull_request: z.unknown().optional(), labels }),
  comment: z.object({
    id: z.number(),
    node_id: z.string(),
    body: z.string(),
    created_at: z.string(),
    user: person.nullable(),
    performed_via_github_app: z.object({ id: z.number() }).nullish(),
  }),
  changes: z.object({ body: z.object({ from: z.string() }).optional() }).optional(),
  sender: person,
});

export const pullRequestPayload = z.object({
  ...anywhere,
  action: z.string(),
  pull_request: pullRequest,
  label: z.object({ name: z.string() }).nullish(),
  /** For the action `edited`: `base` is set when the base branch was changed, `body` when the description was. */
  changes: z.object({ base: z.unknown().optional(), body: editedBody }).nullish(),
  sender: person,
});

export const reviewPayload = pullRequestPayload.extend({
  review: z
    .object({
      node_id: z.string(),
      body: z.string().nullish(),
      /** The head that was reviewed. */
      commit_id: z.string().nullish(),
      submitted_at: z.string().nullish(),
    })
    .nullish(),
});

/** A comment on a line of the difference. */
export const lineCommentPayload = z.object({
  ...anywhere,
  action: z.string(),
  pull_request: z.object({ number: z.number() }),
  comment: z.object({ node_id: z.string(), body: z.string(), created_at: z.string() }),
  changes: z.object({ body: editedBody }).nullish(),
  sender: person,
});

/** A change of a label or of auto-merge that polling found. */
export const foundLabelPayload = pullRequestPayload.extend({
  /** Milliseconds since the epoch. */
  labelledAt: z.number(),
  /** The queue whose branch was polled. */
  queueId: z.string().optional(),
});

export const checkRunPayload = z.object({
  ...anywhere,
  check_run: z.object({
    id: z.number(),
    name: z.string(),
    head_sha: z.string(),
    status: z.string(),
    conclusion: z.string().nullable(),
    html_url: z.string().nullable().default(null),
    // Only for display: a time that cannot be read must not lose the result.
    started_at: z.iso.datetime().nullish().catch(null),
    completed_at: z.iso.datetime().nullish().catch(null),
    app: z.object({ id: z.number() }).nullable(),
    check_suite: z.object({ id: z.number() }).nullish(),
  }),
});

const rerequested = z.object({
  head_sha: z.string(),
  app: z.object({ id: z.number() }).nullable(),
  pull_requests: z.array(
    z.object({ number: z.number(), base: z.object({ repo: z.object({ id: z.number() }) }) }),
  ),
});

/** For the action `rerequested` of `check_run` and `check_suite`. Each event sets its own object. */
export const rerequestPayload = z.object({
  repository: repository.extend({ id: z.number() }),
  installation,
  action: z.literal("rerequested"),
  check_run: rerequested.extend({ name: z.string(), external_id: z.string().nullable() }).optional(),
  check_suite: rerequested.optional(),
  sender: person,
});

export const statusPayload = z.object({
  ...anywhere,
  id: z.number(),
  sha: z.string(),
  context: z.string(),
  target_url: z.string().nullable().default(null),
  state: z.string(),
});

export const pushPayload = z.object({
  repository: z.object({
    name: z.string(),
    owner: z.object({ login: z.string().optional(), name: z.string().optional() }),
    default_branch: z.string().optional(),
  }),
  installation: installation.optional(),
  ref: z.string(),
  after: z.string(),
  deleted: z.boolean().optional(),
  forced: z.boolean().optional(),
  commits: z.array(z.object({ added: paths, modified: paths, removed: paths })).optional(),
});

/** For the event `github_app_authorization`. */
export const authorizationPayload = z.object({ sender: z.object({ id: z.int() }) });

/** For the events `installation` and `installation_repositories`. */
export const installationPayload = z.object({
  installation: z.object({ id: z.number(), account: z.object({ login: z.string() }) }),
});

/** For the event `repository`. */
export const repositoryPayload = z.object({ repository: z.object({ id: z.number() }) });

/** For the events `branch_protection_rule` and `repository_ruleset`. A ruleset of an organisation names no repository. */
export const rulePayload = z.object({
  repository: repository.optional(),
  organization: z.object({ login: z.string() }).optional(),
});

/** The fields that locate the repository of a payload. */
export const placePayload = z.object({
  repository: z.object({
    id: z.number(),
    name: z.string(),
    owner: z.object({ login: z.string().optional(), name: z.string().optional() }),
  }),
  installation,
});

/** The fields that locate the branch of a change that polling found. */
export const polledBranchPayload = z.object({
  ...anywhere,
  queueId: z.string(),
  pull_request: z.object({ base: z.object({ ref: z.string() }) }),
});

export function repositoryOf(
  payload: { repository: z.infer<typeof repository>; installation: z.infer<typeof installation> },
  host: string,
): InstalledRepository {
  const { repository: repo, installation: via } = payload;
  return { host, owner: repo.owner.login, name: repo.name, installationId: via.id };
}
