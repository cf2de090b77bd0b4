import { z } from "zod";

/**
 * What goes wrong with a call.
 * - `cut`: a 2xx whose body breaks off, with the ETag of the whole body
 * - `shape`: a 2xx that is well formed and not what GitHub's description says, with the ETag of the true body
 * - `500`, `502`: a server error; 502 is a proxy's HTML page
 * - `reset`: the connection is reset, and there is no answer
 * - `latency`: the answer takes long
 * - `unauthorized`, `forbidden`, `not_found`: 401, 403, 404 without a cause, which pass
 * - `stale`: the answer shows the repository as it was a while ago. Only calls whose answer was another one then are hit
 * - `lagging_etag`: a 304 although it has changed a moment ago, to who has the answer from before
 * - `base_modified`, `conflict`, `locked`: 405, 409, 423 to what merges or moves a branch, which pass
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
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Whether the call has had its effect when it goes wrong. */
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

/** The operations that a kind can hit; those that are not here can hit all. */
const operationsOf: Readonly<Partial<Record<FaultKind, readonly string[]>>> = {
  stale: [...readings, "graphql/repository"],
  lagging_etag: readings,
  base_modified: ["pulls/merge"],
  conflict: moves,
  locked: moves,
};

export const canHit = (kind: FaultKind, operation: string): boolean =>
  operationsOf[kind]?.includes(operation) ?? true;

/** How a kind looks; one is drawn unless the fault names it. */
export const variantsOf: Readonly<Partial<Record<FaultKind, readonly [string, ...string[]]>>> = {
  // The connection ends before `content-length` is reached, or `content-length` is that of what is left.
  cut: ["connection", "length"],
  shape: ["{}", "[]", "null", "html", "wrapped", "missing", "null_field"],
  rate_limited: ["429", "403", "primary"],
  conflict: ["in_progress", "bare", "head_modified"],
};

const share = z.number().min(0).max(1);
const range = z.tuple([z.number().min(0), z.number().min(0)]);

const planSchema = z.strictObject({
  /** Decides the draws. Default: the sandbox's seed. */
  seed: z.number().int().optional(),
  /** The share of calls that a fault hits. Default: 0. */
  rate: share.optional(),
  /** Other shares for some operations: `pulls/merge`, or `pulls/*` for all of a group. The first that fits holds. */
  rates: z.record(z.string(), share).optional(),
  /** How the faults are shared out among the kinds. Default: all alike, but `latency` a tenth of another. */
  kinds: z.partialRecord(z.enum(faultKinds), z.number().min(0)).optional(),
  /** Whose calls are hit. Default: those of an App and of its installations. */
  actors: z.array(z.enum(["anonymous", "user", "app", "installation"])).optional(),
  /** How long `latency` takes. Default: 1 to 20 s. */
  latencyMs: range.optional(),
  /** When `rate_limited` permits the next call. Default: 1 to 2 s. */
  retryAfterSeconds: range.optional(),
  /** How long `unauthorized`, `forbidden`, and `not_found` hold for their operation, from the first. Default: that call alone. */
  lastsMs: range.optional(),
  /** How old what `stale` and `lagging_etag` show is. Default: 0.5 to 5 s. */
  staleMs: range.optional(),
  /** How long merges into a base are answered 405 after each change of it. Default: not at all. */
  baseModifiedMs: range.optional(),
  /** Nothing can be reached from `afterMs` on, for `lastsMs`. */
  outage: z.strictObject({ afterMs: z.number().min(0), lastsMs: z.number().min(0) }).optional(),
});

/** What goes wrong by chance. The draw depends on seed, operation, and how many calls of it there were: not on their timing. */
export type FaultPlan = z.output<typeof planSchema>;

/**
 * Reads a plan from JSON.
 * @throws with each mistake and its place
 */
export function parseFaultPlan(text: string): FaultPlan {
  const parsed = planSchema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  throw new Error(`The fault plan is wrong:\n${z.prettifyError(parsed.error)}`);
}
