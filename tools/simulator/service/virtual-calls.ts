import type { CodeHostErrorKind, CodeHostFailure } from "../../../src/ports/code-host/code-host.ts";
import type { Boundaries } from "./boundaries.ts";
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

/** Some kinds of calls fail for a time, or are slow. */
export interface Incident {
  readonly kind: CodeHostErrorKind | "slow";
  /** In milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly strikes: (name: string, isReading: boolean) => boolean;
}

interface VirtualCallsParts {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly boundaries: Boundaries;
  /** The share of calls that go wrong. */
  readonly faults: number;
  readonly incident: Incident | null;
  /** The share of lists that show what was true some seconds ago. */
  readonly laggingLists: number;
  /** The share of GraphQL queries that are answered with errors. */
  readonly refusedQueries: number;
  /** Draws which of them do. */
  readonly drawList: () => number;
  /** Draws which queries are. */
  readonly drawQuery: () => number;
}

interface CallOptions {
  readonly isSlow?: boolean;
  readonly isReading?: boolean;
  /** Whether something happens between the answer and its arrival. */
  readonly isOvertaken?: () => boolean;
}

/** The replicas of GitHub lag for seconds. */
const longestLagMs = 6_000;
/** How long such an answer takes. By then, all processes know what has happened. */
const overtakenMs = 20_000;
/** How long a call takes in addition while it is slow. */
const slowMs = 25_000;
const never = new Promise<never>(() => {});

/**
 * Calls over a slow and faulty network. A call takes effect in the middle of its time, also when the calling process dies meanwhile. A
 * dead process gets no answer, and a suspended one gets it late.
 */
export class VirtualCalls {
  readonly #time: VirtualTime;
  readonly #random: () => number;
  readonly #boundaries: Boundaries;
  /** The share of calls that go wrong. */
  faults: number;
  /** The share of lists that show what was true some seconds ago. */
  laggingLists: number;
  /** The share of GraphQL queries that are answered with errors. */
  refusedQueries: number;
  readonly #drawQuery: () => number;
  readonly #drawList: () => number;
  readonly #incident: Incident | null;

  constructor(parts: VirtualCallsParts) {
    const { time, random, boundaries, faults, incident, laggingLists, drawList } = parts;
    this.#time = time;
    this.#random = random;
    this.#boundaries = boundaries;
    this.#incident = incident;
    this.faults = faults;
    this.laggingLists = laggingLists;
    this.#drawList = drawList;
    this.refusedQueries = parts.refusedQueries;
    this.#drawQuery = parts.drawQuery;
  }

  /** A call that changes something at the code host. */
  async change<T>(name: string, effect: () => T): Promise<T> {
    if (!this.#boundaries.pass(`before ${name}`)) await never;
    // The service hears of the event before this call has ended.
    const answer = await this.call(name, effect, { isSlow: this.#boundaries.isEventNow });
    if (!this.#boundaries.pass(`after ${name}`)) await never;
    return answer;
  }

  /** A call that only reads. Its answer arrives late when something happens after it was given. */
  read<T>(name: string, answer: () => T): Promise<T> {
    return this.call(name, answer, {
      isReading: true,
      isOvertaken: () => this.#boundaries.passReading(name),
    });
  }

  async call<T>(
    name: string,
    effect: () => T,
    { isSlow: isToBeSlow = false, isReading = false, isOvertaken = () => false }: CallOptions = {},
  ): Promise<T> {
    const caller = VirtualProcess.current();
    const fault = this.#random() < this.faults ? this.#random() : null;
    const isSlow = this.#random() < 0.02 || isToBeSlow;
    const halfMs = (isSlow ? 8_000 : 20) + this.#random() * (isSlow ? 7_000 : 400);
    await this.#time.pause(halfMs);
    if (this.#isStruck(name, isReading)) {
      await this.#untilHeard(caller);
      const kind = this.#incident?.kind ?? "unavailable";
      if (kind !== "slow") throw new VirtualFailure(kind, `${name}: there is an incident`, null, isReading);
      await this.#time.pause(slowMs);
    }
    // Before its effect: the call does not arrive, or is refused.
    if (fault !== null && fault < 0.55) {
      await this.#untilHeard(caller);
      throw failureOf(fault / 0.55, name, isReading);
    }
    const answer = await this.#answerTo(effect, caller);
    await this.#time.pause(isOvertaken() ? overtakenMs : halfMs);
    await this.#untilHeard(caller);
    if (fault !== null) throw new VirtualFailure("unavailable", `${name}: the answer was lost`);
    return answer;
  }

  /** A process that is not awake does not hear of a refusal. */
  async #answerTo<T>(effect: () => T, caller: VirtualProcess | null): Promise<T> {
    try {
      return effect();
    } catch (refusal) {
      await this.#untilHeard(caller);
      throw refusal;
    }
  }

  #isStruck(name: string, isReading: boolean): boolean {
    if (this.#incident === null) return false;
    const { from, to, strikes } = this.#incident;
    const now = this.#time.now();
    return now >= from && now < to && strikes(name, isReading);
  }

  async #untilHeard(caller: VirtualProcess | null): Promise<void> {
    if (caller) await this.#time.untilAwake(caller);
    if (caller?.isAlive === false) await never;
  }

  /** How far behind a reading is, in milliseconds; mostly 0. */
  drawLag(): number {
    const [hits, lag] = [this.#random(), this.#random()];
    return hits < this.faults ? lag * longestLagMs : 0;
  }

  /** The same of a list. */
  drawListLag(): number {
    const [hits, lag] = [this.#drawList(), this.#drawList()];
    return hits < this.laggingLists ? lag * longestLagMs : 0;
  }

  /** Whether a query is answered with errors. */
  refusesQuery(): boolean {
    return this.#drawQuery() < this.refusedQueries;
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
