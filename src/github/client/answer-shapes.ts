import * as z from "zod";
import { asyncMergeShape } from "../merging/async-merge.ts";

/**
 * The parts that we use of each response of GitHub's REST API, by method and path below the repository. Fields that do not influence
 * decisions are optional, because GitHub may omit them.
 */

const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const account = z.object({ login: z.string(), id: z.number(), type: z.string() });
const actor = account.nullish();
const label = z.object({ name: z.string() });
const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)), "is not a time");
const made = z.object({ id: z.number() });
const repositoryId = z.object({ id: z.number() });

const reference = z.object({ ref: z.string(), object: z.object({ sha }) });
const commit = z.object({ sha, tree: z.object({ sha }) });
const mergedCommit = z.object({
  sha,
  commit: z.object({ tree: z.object({ sha }) }),
  parents: z.array(z.object({ sha })),
});

const comparedCommit = mergedCommit.omit({ parents: true });
const signature = z.object({
  name: z.string().optional(),
  email: z.string().optional(),
  date: z.string().optional(),
});

const writtenCommit = mergedCommit.extend({
  commit: z.object({ message: z.string(), tree: z.object({ sha }), author: signature.nullish() }),
});

const activity = z.object({
  after: sha,
  timestamp: time,
  activity_type: z.string(),
  actor: z.object({ login: z.string(), id: z.number(), type: z.string() }).nullish(),
});

const end = (branch: object) => z.object({ ref: z.string(), sha, ...branch });
const listedPull = {
  number: z.number(),
  state: z.enum(["open", "closed"]),
  title: z.string(),
  draft: z.boolean().optional(),
  head: end({ repo: repositoryId.nullable() }),
  base: end({ repo: repositoryId }),
  labels: z.array(label),
  auto_merge: z
    .object({ enabled_by: z.object({ login: z.string(), id: z.number(), type: z.string() }).nullable() })
    .nullish(),
  updated_at: time,
};
const pull = z.object({
  ...listedPull,
  body: z.string().nullish(),
  user: z.object({ login: z.string() }).nullable(),
  html_url: z.string(),
  merged: z.boolean(),
  merged_by: actor,
  merge_commit_sha: sha.nullish(),
  mergeable: z.boolean().nullable(),
  mergeable_state: z.string(),
  stack: z
    .object({
      base: z.object({ ref: z.string() }),
      number: z.number().optional(),
      size: z.number().optional(),
      position: z.number().optional(),
    })
    .nullish(),
});

const review = z.object({ user: actor, state: z.string(), author_association: z.string() });

const requiredStatusChecks = z.object({
  contexts: z.array(z.string()),
  checks: z.array(z.object({ context: z.string(), app_id: z.number().nullish() })).optional(),
});
/** Only an unprotected branch may lack its required checks. */
const branch = z
  .object({
    name: z.string(),
    commit: mergedCommit.omit({ parents: true }),
    protected: z.boolean(),
    protection: z.object({
      enabled: z.boolean().optional(),
      required_status_checks: requiredStatusChecks.optional(),
    }),
  })
  .refine(
    ({ protection: { enabled, required_status_checks: required } }) =>
      enabled !== true || required !== undefined,
    "says that it is protected, but not what it requires",
  );
const statusChecksRule = z.object({
  parameters: z.object({
    required_status_checks: z.array(z.object({ context: z.string(), integration_id: z.number().nullish() })),
  }),
});
const rule = z
  .looseObject({ type: z.string() })
  .refine(
    (any) => any.type !== "required_status_checks" || statusChecksRule.safeParse(any).success,
    "requires checks, but does not say which",
  );

const checkRun = z.object({
  id: z.number(),
  node_id: z.string(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  html_url: z.string().nullable(),
  external_id: z.string().nullish(),
  app: z.object({ id: z.number() }).nullable(),
  check_suite: z.object({ id: z.number() }).nullable(),
});
const annotation = z.object({
  path: z.string(),
  start_line: z.number(),
  annotation_level: z.string().nullable(),
  title: z.string().nullable(),
  message: z.string().nullable(),
});

const checkSuite = z.object({
  id: z.number(),
  head_branch: z.string().nullable(),
  status: z.string().nullable(),
  conclusion: z.string().nullable(),
  app: z.object({ id: z.number(), slug: z.string().optional() }).nullable(),
  latest_check_runs_count: z.number(),
});
const status = z.object({
  id: z.number(),
  context: z.string(),
  /** A state that we do not know counts as failed, and is named. */
  state: z.string(),
  target_url: z.string().nullable(),
});

const comment = z.object({ id: z.number(), node_id: z.string(), body: z.string().nullish(), user: actor });
const repositoryComment = comment.extend({
  issue_url: z.string(),
  html_url: z.string(),
  performed_via_github_app: z.object({ id: z.number() }).nullish(),
  created_at: time,
  updated_at: time,
});
const issue = z.object({ number: z.number(), html_url: z.string(), body: z.string().nullish(), user: actor });
const issueEvent = z.object({
  id: z.number(),
  event: z.string(),
  label: z.object({ name: z.string().nullable() }).nullish(),
  actor,
  created_at: time,
});

const file = z.object({
  type: z.string(),
  encoding: z.string().optional(),
  content: z.string().optional(),
  sha,
});
const changedFile = z.object({ filename: z.string(), previous_filename: z.string().optional() });
const workflowRun = z.object({ id: z.number(), status: z.string().nullable(), path: z.string() });
const listedWorkflowRun = workflowRun.extend({ head_sha: sha, head_branch: z.string().nullable() });
const anyWorkflowRun = workflowRun.extend({
  event: z.string(),
  head_sha: sha,
  head_branch: z.string().nullable(),
  repository: repositoryId,
  head_repository: repositoryId.extend({ owner: z.object({ login: z.string() }) }).nullable(),
});

/** The response of `POST /app/installations/{}/access_tokens`, which is not a request to a repository. */
export const accessTokenShape = z.object({ token: z.string().min(1), expires_at: time });

/** Also the response of `GET /app/installations/{}`. */
export const installationShape = z.object({
  id: z.number(),
  html_url: z.string(),
  account: z.union([account, z.object({ slug: z.string() })]).nullable(),
  permissions: z.record(z.string(), z.string().optional()),
  suspended_at: time.nullish(),
});
const repository = z.object({
  id: z.number(),
  name: z.string(),
  owner: z.object({ login: z.string(), id: z.number() }),
  archived: z.boolean(),
});
/** GitHub omits `current_user_can_bypass` when it does not reveal it. */
const ruleset = z.object({
  id: z.number(),
  name: z.string(),
  current_user_can_bypass: z.string().optional(),
  _links: z.object({ html: z.object({ href: z.string() }).nullish() }).optional(),
});
/** Only administrators can read it. */
const protection = z.object({
  required_status_checks: z.object({ strict: z.boolean().optional() }).optional(),
  required_linear_history: z.object({ enabled: z.boolean().optional() }).optional(),
  lock_branch: z.object({ enabled: z.boolean().optional() }).optional(),
});

/** The response of `GET /app/hook/config`. It has no address if the App has none. */
export const hookConfigShape = z.object({ url: z.string().nullish() });
/** The response of `GET /app/hook/deliveries`. */
export const hookDeliveryShape = z.object({
  id: z.number(),
  guid: z.string(),
  event: z.string(),
  status: z.string(),
  status_code: z.number(),
  delivered_at: time,
});
/** The response of `GET /rate_limit`. */
export const rateLimitShape = z.object({
  resources: z.object({
    core: z.object({ limit: z.number(), remaining: z.number(), reset: z.number() }),
  }),
});

/** `{}` stands for one part of a path. */
export const answerShapes: Readonly<Record<string, z.ZodType>> = {
  "GET ": repository,
  "GET /installation": installationShape,
  "GET /activity": z.array(activity),
  "GET /git/ref/{}": reference,
  "POST /git/refs": reference,
  "PATCH /git/refs/{}": reference,
  "GET /git/matching-refs/{}": z.array(reference),
  "GET /git/commits/{}": commit,
  "POST /git/commits": commit,
  "GET /git/trees/{}": z.object({
    tree: z.array(z.object({ path: z.string(), sha })),
    truncated: z.boolean(),
  }),
  "GET /git/blobs/{}": z.object({ encoding: z.string(), content: z.string(), sha }),
  "POST /merges": mergedCommit,
  "GET /compare/{}": z.object({
    ahead_by: z.number(),
    behind_by: z.number(),
    base_commit: comparedCommit,
    merge_base_commit: comparedCommit,
    commits: z.array(writtenCommit),
    files: z.array(changedFile).optional(),
  }),
  "GET /commits": z.array(z.object({ sha })),
  "GET /commits/{}/pulls": z.array(
    z.object({ number: z.number(), merged_at: time.nullable(), base: end({}) }),
  ),
  "GET /branches/{}": branch,
  "GET /branches/{}/protection": protection,
  "GET /rules/branches/{}": z.array(rule),
  "GET /rulesets/{}": ruleset,
  "GET /pulls": z.array(z.object(listedPull)),
  "GET /pulls/{}": pull,
  "POST /pulls": z.object({ number: z.number() }),
  "GET /pulls/{}/reviews": z.array(review),
  "GET /pulls/{}/commits": z.array(
    writtenCommit.extend({ author: z.object({ login: z.string().optional() }).nullish() }),
  ),
  "GET /pulls/{}/files": z.array(changedFile),
  "PUT /pulls/{}/merge": z.object({ sha, merged: z.literal(true) }),
  "PUT /pulls/{}/merge-async": asyncMergeShape,
  "GET /pulls/{}/merge-async/{}": asyncMergeShape,
  "GET /commits/{}/check-runs": z.object({ total_count: z.number(), check_runs: z.array(checkRun) }),
  "GET /commits/{}/check-suites": z.object({ total_count: z.number(), check_suites: z.array(checkSuite) }),
  "GET /commits/{}/status": z.object({ total_count: z.number(), statuses: z.array(status) }),
  "GET /commits/{}/statuses": z.array(status.extend({ creator: actor })),
  "GET /check-runs/{}": checkRun,
  "GET /check-runs/{}/annotations": z.array(annotation),
  "GET /collaborators/{}/permission": z.object({
    permission: z.string(),
    user: z.object({ id: z.number() }).nullish(),
  }),
  "GET /contents/{}": z.union([file, z.array(z.object({ type: z.string() }))]),
  "GET /issues": z.array(issue),
  "POST /issues": issue,
  "PATCH /issues/{}": issue,
  "GET /issues/comments": z.array(repositoryComment),
  "GET /issues/{}/comments": z.array(comment),
  "POST /issues/{}/comments": made,
  "GET /issues/comments/{}": comment,
  "GET /issues/{}/events": z.array(issueEvent),
  "GET /issues/{}/labels": z.array(label),
  "POST /issues/{}/labels": z.array(label),
  "DELETE /issues/{}/labels/{}": z.array(label),
  "GET /actions/runs": z.object({ total_count: z.number(), workflow_runs: z.array(listedWorkflowRun) }),
  "GET /actions/runs/{}": anyWorkflowRun,
  "POST /actions/runs/{}/cancel": z.object({}),
  "POST /actions/runs/{}/rerun-failed-jobs": z.object({}),
};
