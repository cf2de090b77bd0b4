import { draw, drawBetween } from "../seeded-draw.ts";
import {
  canHit,
  type FaultKind,
  type FaultPlan,
  faultKinds,
  type Side,
  sidesOf,
  variantsOf,
} from "./fault-plan.ts";

/** The parts of a fault that are not drawn at random. */
export interface FaultRequest {
  readonly kind?: FaultKind;
  readonly side?: Side;
  /** The variant of the kind; see `variantsOf`. */
  readonly variant?: string;
  readonly latencyMs?: number;
  readonly retryAfterSeconds?: number;
  readonly staleMs?: number;
}

/** A run in which every hundredth call takes 20 s would last hours. */
const latencyWeight = 0.1;

/** Draws the open parts of a fault, with the fault's own seed. Null when no possible kind can hit the operation. */
export function drawFault(
  at: Pick<Fault, "operation" | "call" | "seed">,
  asked: FaultRequest,
  { kinds, latencyMs = [1_000, 20_000], retryAfterSeconds = [1, 2], staleMs = [500, 5_000] }: FaultPlan,
): Fault | null {
  const kind = asked.kind ?? drawKind(at, kinds);
  if (kind === null || !canHit(kind, at.operation)) return null;
  const pick = <T>(choices: readonly [T, ...T[]], what: string): T =>
    choices[Math.floor(draw(at.seed, what) * choices.length)] ?? choices[0];
  return {
    ...at,
    kind,
    side: asked.side ?? pick(sidesOf[kind], "side"),
    variant: asked.variant ?? pick(variantsOf[kind] ?? [""], "variant"),
    latencyMs: asked.latencyMs ?? drawBetween(at.seed, latencyMs, "latency"),
    retryAfterSeconds:
      asked.retryAfterSeconds ?? Math.ceil(drawBetween(at.seed, retryAfterSeconds, "retry after")),
    staleMs: asked.staleMs ?? drawBetween(at.seed, staleMs, "stale"),
  };
}

function drawKind(
  { seed, operation }: Pick<Fault, "seed" | "operation">,
  weights: FaultPlan["kinds"],
): FaultKind | null {
  const weightOf = (kind: FaultKind) => {
    if (!canHit(kind, operation)) return 0;
    return weights ? (weights[kind] ?? 0) : kind === "latency" ? latencyWeight : 1;
  };
  const total = faultKinds.reduce((sum, kind) => sum + weightOf(kind), 0);
  let left = draw(seed, "kind") * total;
  for (const kind of faultKinds) {
    left -= weightOf(kind);
    if (left < 0) return kind;
  }
  return null;
}

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

/** @param pattern an operation's id, `pulls/*` for a group, or `*`; `graphql:x` means `graphql/x`. Undefined = any operation. */
export function matchesOperation(pattern: string | undefined, operation: string): boolean {
  if (pattern === undefined || pattern === "*") return true;
  const id = pattern.replace(/^graphql:/, "graphql/");
  return id.endsWith("/*") ? operation.startsWith(id.slice(0, -1)) : operation === id;
}
