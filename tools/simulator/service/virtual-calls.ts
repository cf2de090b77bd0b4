import { createHash } from "node:crypto";
import type { CodeHostErrorKind, CodeHostFailure } from "../../../src/ports/code-host/code-host.ts";
import { createRandomSource } from "../../../src/replay/workload/random-source.ts";
import type { Boundaries } from "./boundaries.ts";
import type { ServicePlan } from "./service-plan.ts";
import { VirtualProcess } from "./virtual-replicas.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** A failure of the code host, as its adapter would throw it. */
export class VirtualFailure extends Error implements CodeHostFailure {
  override readonly name = "CodeHostError";
  readonly kind: CodeHostErrorKind;
  readonly retryAfterMs: number | null;
  readonly isOfReading: boolean;

  constructor(
    kind: CodeHostErrorKind,
    message: string,
    retryAfterMs: number | null = null,
    isOfReading = false,
  ) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.isOfReading = isOfReading;
  }
}

interface VirtualCallsParts {
  readonly plan: ServicePlan;
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly boundaries: Boundaries;
}

interface CallOptions {
  readonly isSlow?: boolean;
  readonly isReading?: boolean;
  /** Whether an event happens between the answer and its arrival. */
  readonly isOvertaken?: () => boolean;
}

/** The replicas of GitHub lag for seconds. */
const longestLagMs = 6_000;
/** How long such an answer takes. By then, all processes know of the event. */
const overtakenMs = 20_000;
/** The additional time of a slow call. */
const slowMs = 25_000;
const never = new Promise<never>(() => {});

/**
 * Calls over a slow and faulty network. A call takes effect in the middle of its time, even if the calling process ends. A dead process
 * gets no answer, and a suspended one gets it late.
 */
export class VirtualCalls {
  readonly #parts: VirtualCallsParts;
  /** Draws which GraphQL queries are answered with errors. */
  readonly #drawQuery: () => number;
  /** Draws which lists are some seconds old. */
  readonly #drawList: () => number;
  /** From then on, no call fails. */
  isCalm = false;

  constructor(parts: VirtualCallsParts) {
    const { seed } = parts.plan;
    this.#parts = parts;
    this.#drawQuery = createRandomSource(seed * 452_930_477 + 51);
    this.#drawList = createRandomSource(seed * 472_882_027 + 47);
  }

  /** The share of calls that fail. */
  get faults(): number {
    return this.isCalm ? 0 : this.#parts.plan.faults;
  }

  /** A call that changes something at the code host. */
  async change<T>(name: string, effect: () => T): Promise<T> {
    const { boundaries } = this.#parts;
    if (!boundaries.pass(`before ${name}`)) await never;
    // The service gets the event before this call has ended.
    const answer = await this.call(name, effect, { isSlow: boundaries.isEventNow });
    if (!boundaries.pass(`after ${name}`)) await never;
    return answer;
  }

  /** A call that only reads. If an event happens after it was answered, the answer arrives late. */
  read<T>(name: string, answer: () => T): Promise<T> {
    return this.call(name, answer, {
      isReading: true,
      isOvertaken: () => this.#parts.boundaries.passReading(name),
    });
  }

  async call<T>(
    name: string,
    effect: () => T,
    { isSlow: isToBeSlow = false, isReading = false, isOvertaken = () => false }: CallOptions = {},
  ): Promise<T> {
    const { time, random } = this.#parts;
    const caller = VirtualProcess.current();
    const fault = random() < this.faults ? random() : null;
    const isSlow = random() < 0.02 || isToBeSlow;
    const halfMs = (isSlow ? 8_000 : 20) + random() * (isSlow ? 7_000 : 400);
    await time.pause(halfMs);
    if (this.#isStruck(name, isReading)) {
      await this.#untilHeard(caller);
      const kind = this.#parts.plan.incident?.kind ?? "unavailable";
      if (kind !== "slow") throw new VirtualFailure(kind, `${name}: there is an incident`, null, isReading);
      await time.pause(slowMs);
    }
    // The call does not arrive, or is refused, before its effect.
    if (fault !== null && fault < 0.55) {
      await this.#untilHeard(caller);
      throw failureOf(fault / 0.55, name, isReading);
    }
    const answer = await this.#answerTo(effect, caller);
    await time.pause(isOvertaken() ? overtakenMs : halfMs);
    await this.#untilHeard(caller);
    if (fault !== null) throw new VirtualFailure("unavailable", `${name}: the answer was lost`);
    return answer;
  }

  /** A process that is suspended gets no refusal. */
  async #answerTo<T>(effect: () => T, caller: VirtualProcess | null): Promise<T> {
    try {
      return effect();
    } catch (refusal) {
      await this.#untilHeard(caller);
      throw refusal;
    }
  }

  #isStruck(name: string, isReading: boolean): boolean {
    const { plan, time } = this.#parts;
    if (plan.incident === null) return false;
    const { at, ms, calls } = plan.incident;
    const passedMs = time.now() - time.startsAt - at;
    if (passedMs < 0 || passedMs >= ms) return false;
    if (typeof calls !== "string") return calls.includes(name);
    if (calls !== "half") return calls === "all" || !isReading;
    return createHash("sha256").update(`${plan.seed} ${name}`).digest().readUInt8() % 2 === 0;
  }

  async #untilHeard(caller: VirtualProcess | null): Promise<void> {
    if (caller) await this.#parts.time.untilAwake(caller);
    if (caller?.isAlive === false) await never;
  }

  /** The age of a reading, in milliseconds; mostly 0. */
  drawLag(): number {
    const [hits, lag] = [this.#parts.random(), this.#parts.random()];
    return hits < this.faults ? lag * longestLagMs : 0;
  }

  /** The age of a list, in milliseconds; mostly 0. */
  drawListLag(): number {
    const [hits, lag] = [this.#drawList(), this.#drawList()];
    return !this.isCalm && hits < this.#parts.plan.laggingLists ? lag * longestLagMs : 0;
  }

  /** Whether a query is answered with errors. */
  refusesQuery(): boolean {
    return this.#drawQuery() < this.#parts.plan.refusedQueries && !this.isCalm;
  }

  deny(message: string): Promise<never> {
    return Promise.reject(new VirtualFailure("denied", message));
  }
}

function failureOf(share: number, name: string, isReading: boolean): VirtualFailure {
  if (share < 0.6) return new VirtualFailure("unavailable", `${name}: no answer`);
  if (share < 0.75) return new VirtualFailure("denied", `${name}: denied by mistake`, null, isReading);
  if (share < 0.9) return new VirtualFailure("rate_limited", `${name}: too many calls`, 5_000);
  return new VirtualFailure("busy", `${name}: locked`);
}
