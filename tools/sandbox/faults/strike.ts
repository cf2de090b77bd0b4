import { cutReply, type Describes, misshapeReply } from "./damage-reply.ts";
import { failureReply } from "./failure-reply.ts";
import { type Fault, labelOf } from "./fault.ts";
import type { Reply } from "./reply.ts";

/** Thrown in place of a call's effect: what it is answered instead. */
export class InjectedFailure extends Error {
  readonly reply: Reply;

  constructor(fault: Fault, reply: Reply) {
    super(`injected: ${labelOf(fault)}`);
    this.reply = reply;
  }
}

interface Surroundings {
  /** The fault has happened. */
  readonly record: () => void;
  /** The fault cannot hit this call. */
  readonly spare: () => void;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

/** A fault on its way to a call. */
export class Strike {
  readonly #fault: Fault;
  readonly #around: Surroundings;
  hasHit = false;

  constructor(fault: Fault, around: Surroundings) {
    this.#fault = fault;
    this.#around = around;
  }

  get label(): string {
    return labelOf(this.#fault);
  }

  /** Whether it needs a whole body to damage: a 304 has none. */
  get needsBody(): boolean {
    return this.#fault.kind === "cut" || this.#fault.kind === "shape";
  }

  /** How old what the answer shows is, if it is that which goes wrong. Null: it is not. */
  ageMs(kind: "stale" | "lagging_etag"): number | null {
    return this.#fault.kind === kind ? this.#fault.staleMs : null;
  }

  /** An older answer was given. */
  showedThePast(): void {
    this.#hit();
  }

  /**
   * What happens before the call has its effect.
   * @throws {InjectedFailure} if it is not to have any
   */
  async before(): Promise<void> {
    const { kind, side, latencyMs } = this.#fault;
    if (side !== "before") return;
    this.#hit();
    if (kind === "latency") await this.#around.wait(latencyMs);
    else throw new InjectedFailure(this.#fault, failureReply(this.#fault, new Date()));
  }

  /** What becomes of the answer. */
  async after(reply: Reply, describes: Describes): Promise<Reply> {
    const { kind, side, latencyMs } = this.#fault;
    if (side !== "after") return reply;
    if (kind === "stale" || kind === "lagging_etag") {
      if (!this.hasHit) this.#around.spare();
      return reply;
    }
    const damaged = this.#damage(reply, describes);
    if (damaged === null) {
      this.#around.spare();
      return reply;
    }
    this.#hit();
    if (kind === "latency") await this.#around.wait(latencyMs);
    return damaged;
  }

  #hit(): void {
    this.hasHit = true;
    this.#around.record();
  }

  #damage(reply: Reply, describes: Describes): Reply | null {
    const { kind } = this.#fault;
    if (kind === "latency") return reply;
    if (kind === "cut") return cutReply(reply, this.#fault);
    if (kind === "shape") return misshapeReply(reply, this.#fault, describes);
    return failureReply(this.#fault, new Date());
  }
}
