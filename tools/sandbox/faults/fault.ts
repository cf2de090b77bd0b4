import type { FaultKind, Side } from "./fault-plan.ts";

/** The fault of one call. */
export interface Fault {
  readonly kind: FaultKind | "outage";
  readonly side: Side;
  /** The variant of the kind; see `variantsOf`. */
  readonly variant: string;
  readonly operation: string;
  /** The number of the call among the operation's calls, from 1. */
  readonly call: number;
  /** Seed of the remaining random choices, such as where a body is truncated. */
  readonly seed: number;
  readonly latencyMs: number;
  readonly retryAfterSeconds: number;
  /** Age of the state that it shows. */
  readonly staleMs: number;
}

const twoSided: ReadonlySet<Fault["kind"]> = new Set(["500", "502", "reset", "latency"]);

/** Returns the label under which a fault is counted: its kind, with the side if a kind can have both. */
export const labelOf = ({ kind, side }: Pick<Fault, "kind" | "side">): string =>
  twoSided.has(kind) ? `${kind}_${side}` : kind;
