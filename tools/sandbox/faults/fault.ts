import type { FaultKind, Side } from "./fault-plan.ts";

/** What goes wrong with one call. */
export interface Fault {
  readonly kind: FaultKind | "outage";
  readonly side: Side;
  /** How it looks; see `variantsOf`. */
  readonly variant: string;
  readonly operation: string;
  /** Which call of the operation it is, from 1. */
  readonly call: number;
  /** Decides what is left to chance, such as where a body breaks off. */
  readonly seed: number;
  readonly latencyMs: number;
  readonly retryAfterSeconds: number;
  /** How old what it shows is. */
  readonly staleMs: number;
}

const twoSided: ReadonlySet<Fault["kind"]> = new Set(["500", "502", "reset", "latency"]);

/** What a fault is counted as: its kind, with its side where a kind has two. */
export const labelOf = ({ kind, side }: Pick<Fault, "kind" | "side">): string =>
  twoSided.has(kind) ? `${kind}_${side}` : kind;
