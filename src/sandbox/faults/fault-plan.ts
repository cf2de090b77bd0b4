import { z } from "zod";

/**
 * What goes wrong with a call.
 * - `cut`: a 2xx whose body breaks off, with the ETag of the whole body
 * - `shape`: a 2xx that is well formed and not what GitHub's description says, with the ETag of the true body
 * - `500`, `502`: a server error; 502 is a proxy's HTML page
 * - `reset`: the connection is reset, and there is no answer
 * - `latency`: the answer takes long
 * - `unauthorized`, `forbidden`, `not_found`: 401, 403, 404 without a cause, which pass
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
};

/** How a kind looks; one is drawn unless the fault names it. */
export const variantsOf: Readonly<Partial<Record<FaultKind, readonly [string, ...string[]]>>> = {
  // The connection ends before `content-length` is reached, or `content-length` is that of what is left.
  cut: ["connection", "length"],
  shape: ["{}", "[]", "null", "html", "wrapped", "missing", "null_field"],
  rate_limited: ["429", "403", "primary"],
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
