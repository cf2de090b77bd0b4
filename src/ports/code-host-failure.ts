import type { RefusalCause } from "../engine/reasons/refusal-cause.ts";

/** A failure of the code host that is not an expected outcome. Classified once, where it arose. */
export type CodeHostErrorKind =
  /** Overload, outage, network: try again. */
  | "unavailable"
  /** It would do it, but not now, since another change is under way: try again. Nothing was done. */
  | "busy"
  /** Try again after `retryAfterMs`. */
  | "rate_limited"
  /** The App lacks a permission, or the repository refuses. */
  | "denied"
  /** There is no such thing, or the App may not see it. */
  | "not_found"
  /** Our request was wrong. */
  | "invalid";

export interface CodeHostFailure extends Error {
  readonly kind: CodeHostErrorKind;
  readonly retryAfterMs: number | null;
  /** What it is refused for, once it has lasted; null or absent: only its words say so. */
  readonly refusal?: RefusalCause | null;
}
