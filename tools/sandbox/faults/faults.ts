import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../auth/authorize.ts";
import { HungUp } from "../http-server.ts";
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
import { Strike } from "./strike.ts";

interface InjectedFault extends Pick<Fault, "kind" | "side" | "variant" | "operation" | "call"> {
  /** See `labelOf`. */
  readonly label: string;
  readonly at: Date;
}

/** A fault that is ordered for the next calls. */
export interface NextFault extends FaultRequest {
  /** An operation id as in the sandbox's log (`pulls/merge`, `graphql/updateRefs`), or `pulls/*`. Default: every operation. */
  readonly operation?: string;
  /** Number of calls that get the fault. Default: 1. */
  readonly count?: number;
  /** Replaces the count: all calls get the fault for this time, starting with the first hit. */
  readonly lastsMs?: number;
}

interface Order {
  readonly asked: NextFault;
  left: number;
  until: number;
}

const defaultActors: readonly Caller["kind"][] = ["app", "installation"];

/**
 * Injects faults into the calls of the REST and the GraphQL API: by a plan, by order, or into all calls during an outage. Spares
 * calls of people unless the plan includes them.
 */
export class Faults {
  readonly injected: InjectedFault[] = [];
  readonly #defaultSeed: number;
  readonly #closing = new AbortController();
  readonly #calls = new Map<string, number>();
  readonly #lasting = new Map<string, { fault: Fault; until: number }>();
  readonly #orders: Order[] = [];
  #plan: FaultPlan = {};
  #planBegan = Date.now();
  #isOut = false;

  constructor(seed: number, plan: FaultPlan = {}) {
    this.#defaultSeed = seed;
    this.use(plan);
  }

  /** Replaces the plan; null ends all faults of the plan. Ordered faults stay. */
  use(plan: FaultPlan | null): void {
    this.#plan = plan ?? {};
    this.#planBegan = Date.now();
    this.#lasting.clear();
  }

  /** Makes the API unreachable until called with false. */
  outage(isOut: boolean): void {
    this.#isOut = isOut;
  }

  /** Orders a fault for the next matching calls that the kind can hit. Returns a function that ends it early. */
  next(asked: NextFault): () => void {
    const left = asked.lastsMs === undefined ? (asked.count ?? 1) : Number.POSITIVE_INFINITY;
    const order: Order = { asked, left, until: Number.POSITIVE_INFINITY };
    this.#orders.push(order);
    return () => {
      order.left = 0;
    };
  }

  /** Counts the injected faults, by `labelOf` or by operation. */
  count(by: "label" | "operation" = "label"): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const fault of this.injected) counts[fault[by]] = (counts[fault[by]] ?? 0) + 1;
    return counts;
  }

  /** Returns the fault that hits this call; null = none. */
  strike(operation: string, actor: Caller["kind"]): Strike | null {
    const { actors = defaultActors } = this.#plan;
    if (!actors.includes(actor)) return null;
    const call = (this.#calls.get(operation) ?? 0) + 1;
    this.#calls.set(operation, call);
    const seed = this.#plan.seed ?? this.#defaultSeed;
    const at = { operation, call, seed: Math.floor(draw(seed, "fault", operation, call) * 2 ** 47) };
    if (this.#isOut || this.#isPlannedOutage()) return this.#strikeWith(outageOf(at));
    const order = this.#orders.find(
      ({ asked, left, until }) =>
        left > 0 &&
        until > Date.now() &&
        matchesOperation(asked.operation, operation) &&
        (asked.kind === undefined || canHit(asked.kind, operation)),
    );
    const ordered = order && drawFault(at, order.asked, this.#plan);
    if (ordered) {
      order.left -= 1;
      if (order.asked.lastsMs !== undefined)
        order.until = Math.min(order.until, Date.now() + order.asked.lastsMs);
      // Gives an ordered fault back that could not hit this call.
      const spare = () => {
        order.left += 1;
      };
      return this.#strikeWith(ordered, spare);
    }
    const lasting = this.#lasting.get(operation);
    if (lasting && lasting.until > Date.now()) return this.#strikeWith({ ...lasting.fault, call });
    return this.#strikeByChance(at);
  }

  /**
   * Returns the fault that hits a merge into a recently changed base; null = none.
   *
   * @param changedAt in milliseconds since the epoch
   */
  strikeMerge(actor: Caller["kind"], base: string, changedAt: number): Strike | null {
    const { actors = defaultActors, baseModifiedMs, seed = this.#defaultSeed } = this.#plan;
    if (!baseModifiedMs || !actors.includes(actor)) return null;
    if (Date.now() - changedAt >= drawBetween(seed, baseModifiedMs, "base modified", base)) return null;
    const operation = "pulls/merge";
    const at = { operation, call: this.#calls.get(operation) ?? 0, seed };
    const fault = drawFault(at, { kind: "base_modified" }, this.#plan);
    return fault && this.#strikeWith(fault);
  }

  /** Ends all waits. */
  close(): void {
    this.#closing.abort();
  }

  #strikeByChance(at: Pick<Fault, "operation" | "call" | "seed">): Strike | null {
    const { rate = 0, rates = {} } = this.#plan;
    const [, own = rate] =
      Object.entries(rates).find(([pattern]) => matchesOperation(pattern, at.operation)) ?? [];
    if (draw(at.seed, "hit") >= own) return null;
    const fault = drawFault(at, {}, this.#plan);
    if (fault === null) return null;
    const { lastsMs = [0, 0] } = this.#plan;
    if (["unauthorized", "forbidden", "not_found"].includes(fault.kind)) {
      const lasts = lastsMs[0] + draw(at.seed, "lasts") * (lastsMs[1] - lastsMs[0]);
      this.#lasting.set(at.operation, { fault, until: Date.now() + lasts });
    }
    return this.#strikeWith(fault);
  }

  #strikeWith(fault: Fault, spare: () => void = () => {}): Strike {
    const { signal } = this.#closing;
    return new Strike(fault, {
      record: () => {
        const { kind, side, variant, operation, call } = fault;
        this.injected.push({ kind, side, variant, operation, call, label: labelOf(fault), at: new Date() });
      },
      spare,
      wait: (ms) => sleep(ms, undefined, { signal }).catch(hangUp),
    });
  }

  #isPlannedOutage(): boolean {
    const { outage } = this.#plan;
    const age = Date.now() - this.#planBegan;
    return outage !== undefined && age >= outage.afterMs && age < outage.afterMs + outage.lastsMs;
  }
}

/** A call that waits while the sandbox closes has no effect and gets no response. */
function hangUp(cause: unknown): never {
  throw new HungUp("The sandbox closes.", { cause });
}

const outageOf = (at: Pick<Fault, "operation" | "call" | "seed">): Fault => ({
  ...at,
  kind: "outage",
  side: "before",
  variant: draw(at.seed, "outage") < 0.5 ? "reset" : "503",
  latencyMs: 0,
  retryAfterSeconds: 0,
  staleMs: 0,
});

/** The parts of a fault that are not drawn at random. */
export interface FaultRequest {
  readonly kind?: FaultKind;
  readonly side?: Side;
  /** The variant of the kind; see `variantsOf`. */
  readonly variant?: string;
  readonly latencyMs?: number;
  readonly retryAfterSeconds?: number;
  /** A function is asked at each call. */
  readonly staleMs?: number | (() => number);
}

/** Low, because a run in which every hundredth call takes 20 s would last hours. */
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
    staleMs:
      typeof asked.staleMs === "function"
        ? asked.staleMs()
        : (asked.staleMs ?? drawBetween(at.seed, staleMs, "stale")),
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
