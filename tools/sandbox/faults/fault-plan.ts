import { z } from "zod";

/**
 * The kinds of faults of a call.
 * - `cut`: a 2xx response whose body is truncated, with the ETag of the whole body
 * - `shape`: a well-formed 2xx response that does not match GitHub's description, with the ETag of the true body
 * - `500`, `502`: a server error; 502 is a proxy's HTML page
 * - `reset`: the connection is reset, and there is no response
 * - `latency`: the response takes long
 * - `unauthorized`, `forbidden`, `not_found`: a temporary 401, 403 or 404 without a cause
 * - `stale`: the response shows an earlier state of the repository. Hits only calls whose response differed then
 * - `lagging_etag`: a 304 shortly after a change, for a client that has the earlier response
 * - `query_errors`: a GraphQL query is answered by 200 with `errors`
 * - `base_modified`, `conflict`, `locked`: a temporary 405, 409 or 423 for requests that merge or move a branch
 * - `rate_limited`: 429 or 403 with `Retry-After`, or the primary limit with `x-ratelimit-reset`
 */
export const faultKinds = [
  "cut",
  "shape",
  "500",
  "502",
  "reset",
  "latency",
  "unauthorized",
  "forbidden",
  "not_found",
  "rate_limited",
  "stale",
  "lagging_etag",
  "base_modified",
  "conflict",
  "locked",
  "query_errors",
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Whether the fault happens before or after the call takes effect. */
export type Side = "before" | "after";

export const sidesOf: Readonly<Record<FaultKind, readonly [Side, ...Side[]]>> = {
  cut: ["after"],
  shape: ["after"],
  "500": ["before", "after"],
  "502": ["before", "after"],
  reset: ["before", "after"],
  latency: ["before", "after"],
  unauthorized: ["before"],
  forbidden: ["before"],
  not_found: ["before"],
  rate_limited: ["before"],
  stale: ["after"],
  lagging_etag: ["after"],
  base_modified: ["before"],
  conflict: ["before"],
  locked: ["before"],
  query_errors: ["after"],
};

const readings = [
  "git/get-ref",
  "git/list-matching-refs",
  "repos/get-branch",
  "repos/get-commit",
  "pulls/get",
  "pulls/list",
  "checks/list-for-ref",
  "checks/list-suites-for-ref",
  "repos/get-combined-status-for-ref",
];
const moves = ["pulls/merge", "git/update-ref", "graphql/updateRefs"];

/** The operations that a kind can hit. A kind that is not listed can hit all operations. */
const operationsOf: Readonly<Partial<Record<FaultKind, readonly string[]>>> = {
  stale: [...readings, "graphql/repository"],
  lagging_etag: readings,
  base_modified: ["pulls/merge"],
  conflict: [...moves, "repos/merge"],
  locked: moves,
  query_errors: ["graphql/repository"],
};

export const canHit = (kind: FaultKind, operation: string): boolean =>
  operationsOf[kind]?.includes(operation) ?? true;

/** The variants of a kind. If the fault names none, one is drawn. */
export const variantsOf: Readonly<Partial<Record<FaultKind, readonly [string, ...string[]]>>> = {
  // The connection ends before `content-length` bytes, or `content-length` is the length of the truncated body.
  cut: ["connection", "length"],
  shape: ["{}", "[]", "null", "html", "wrapped", "missing", "null_field"],
  rate_limited: ["429", "403", "primary"],
  conflict: ["in_progress", "bare", "head_modified"],
  // `part`: only the decision of reviewers is missing.
  query_errors: ["went_wrong", "forbidden", "unknown_field", "part"],
};

const share = z.number().min(0).max(1);
const range = z.tuple([z.number().min(0), z.number().min(0)]);

const planSchema = z.strictObject({
  /** Seed of the draws. Default: the sandbox's seed. */
  seed: z.number().int().optional(),
  /** The share of calls that a fault hits. Default: 0. */
  rate: share.optional(),
  /** Other shares for some operations: `pulls/merge`, or `pulls/*` for all of a group. The first match applies. */
  rates: z.record(z.string(), share).optional(),
  /** Weights of the kinds. Default: 1 for each, but 0.1 for `latency`. */
  kinds: z.partialRecord(z.enum(faultKinds), z.number().min(0)).optional(),
  /** The callers whose calls are hit. Default: an App and its installations. */
  actors: z.array(z.enum(["anonymous", "user", "app", "installation"])).optional(),
  /** Duration of `latency`. Default: 1 to 20 s. */
  latencyMs: range.optional(),
  /** How long after `rate_limited` the next call is permitted. Default: 1 to 2 s. */
  retryAfterSeconds: range.optional(),
  /**
   * How long `unauthorized`, `forbidden`, and `not_found` continue for their operation after the first hit. Default: only for
   * that call.
   */
  lastsMs: range.optional(),
  /** Age of the state that `stale` and `lagging_etag` show. Default: 0.5 to 5 s. */
  staleMs: range.optional(),
  /** How long merges into a base get 405 after each change of the base. Default: not at all. */
  baseModifiedMs: range.optional(),
  /** GitHub is unreachable for `lastsMs`, from `afterMs` on. */
  outage: z.strictObject({ afterMs: z.number().min(0), lastsMs: z.number().min(0) }).optional(),
});

/** The plan of random faults. The draw depends on the seed, the operation and its number of calls, but not on timing. */
export type FaultPlan = z.output<typeof planSchema>;

/**
 * Reads a plan from JSON.
 * @throws an error with each mistake and its place
 */
export function parseFaultPlan(text: string): FaultPlan {
  const parsed = planSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`The fault plan is wrong:\n${z.prettifyError(parsed.error)}`);
}
