import type { RefusalCause } from "../../engine/reasons/refusal-cause.ts";

/** A failure of the code host that is not an expected outcome. It is classified once, where it is thrown. */
export type CodeHostErrorKind =
  /** Overload, outage or network error: retry. */
  | "unavailable"
  /** The code host cannot do it now because another change is in progress: retry. Nothing was done. */
  | "busy"
  /** Retry after `retryAfterMs`. */
  | "rate_limited"
  /** It does not say whether a pull request has what the rules demand of people: retry. Nothing was done. */
  | "review_unknown"
  /** The App lacks a permission, or the repository refuses. */
  | "denied"
  /** It does not exist, or the App cannot see it. */
  | "not_found"
  /** Our request was wrong. */
  | "invalid";

export interface CodeHostFailure extends Error {
  readonly kind: CodeHostErrorKind;
  readonly retryAfterMs: number | null;
  /** The cause of a lasting refusal; null or absent when only the error message describes it. */
  readonly refusal?: RefusalCause | null;
  /** Whether the code host refused a call that only reads, which says nothing about what may be changed. Default: false. */
  readonly isOfReading?: boolean;
}
