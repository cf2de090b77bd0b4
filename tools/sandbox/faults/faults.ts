import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../auth/authorize.ts";
import { HungUp } from "../http-server.ts";
import { draw, drawBetween } from "../seeded-draw.ts";
import { drawFault, type Fault, type FaultRequest, labelOf, matchesOperation } from "./draw-fault.ts";
import { canHit, type FaultPlan } from "./fault-plan.ts";
import { Strike } from "./strike.ts";

/** A fault that was injected into a call. */
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
  /** In place of a count: all calls get the fault for this time, starting with the first hit. */
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
      // A call that the fault could not hit does not count.
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
