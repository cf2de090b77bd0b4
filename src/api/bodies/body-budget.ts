import { ProblemError } from "../problems/problem.ts";
import type { BodyOptions } from "./read-body.ts";

export interface BodyBudgetOptions {
  /** Maximum size of all bodies that are held at the same time, and their maximum number. */
  readonly bytes: number;
  readonly bodies: number;
  /** Maximum number of further bodies that wait for room, and how long each may wait. */
  readonly waiting: number;
  readonly waitMs: number;
  /**
   * While another body waits for room, a body that has not arrived within this time is refused. One that arrives too slowly is refused
   * earlier.
   */
  readonly arrivalMs: number;
}

interface WaitingBody {
  readonly bytes: number;
  readonly giveWay: () => void;
  readonly enter: (room: HeldRoom) => void;
}

const lookMs = 250;
/** A body younger than this never counts as slow. */
const beginMs = 1_500;
/** A body that arrives at a lower rate is slow. */
const bytesPerMs = 256;
const retrySeconds = 5;

/**
 * Limits the memory that bodies take. A body without room waits and is not read: its bytes stay in the sockets. A body that arrives slowly
 * while others wait is refused, so that a few slow senders cannot block the others.
 */
export class BodyBudget {
  readonly #options: BodyBudgetOptions;
  /** Both sets are in order of arrival. */
  readonly #held = new Set<HeldRoom>();
  readonly #waiting = new Set<WaitingBody>();
  #bytes = 0;
  #looking: NodeJS.Timeout | null = null;

  constructor(options: BodyBudgetOptions) {
    this.#options = options;
  }

  /**
   * Reserves room for a body of at most `bytes` bytes. Calls `giveWay` when the body has to stop arriving.
   *
   * @throws ProblemError 503 when too many bodies wait already, or when there is no room within `waitMs`.
   */
  take(bytes: number, giveWay: () => void): Promise<HeldRoom> {
    if (this.#waiting.size === 0 && this.#hasRoomFor(bytes)) {
      return Promise.resolve(this.#hold({ bytes, giveWay }));
    }
    if (this.#waiting.size >= this.#options.waiting) return Promise.reject(tooBusy());
    this.#looking ??= setInterval(() => this.#makeRoom(), lookMs).unref();
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(waiting);
        reject(tooBusy());
        this.#letIn();
      }, this.#options.waitMs);
      const enter = (room: HeldRoom) => {
        clearTimeout(late);
        resolve(room);
      };
      const waiting: WaitingBody = { bytes, giveWay, enter };
      this.#waiting.add(waiting);
    });
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#bytes + bytes <= this.#options.bytes && this.#held.size < this.#options.bodies;
  }

  #hold({ bytes, giveWay }: Pick<WaitingBody, "bytes" | "giveWay">): HeldRoom {
    this.#bytes += bytes;
    const room = new HeldRoom(bytes, giveWay, {
      grow: (more) => {
        if (this.#bytes + more > this.#options.bytes) throw tooBusy();
        this.#bytes += more;
      },
      release: (all) => {
        this.#held.delete(room);
        this.#bytes -= all;
        this.#letIn();
      },
    });
    this.#held.add(room);
    return room;
  }

  #letIn(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoomFor(waiting.bytes)) break;
      this.#waiting.delete(waiting);
      waiting.enter(this.#hold(waiting));
    }
    if (this.#waiting.size > 0 || !this.#looking) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }

  /** Frees only as much room as the first waiting body needs. */
  #makeRoom(): void {
    const [first] = this.#waiting;
    for (const room of this.#held) {
      if (!first || !this.#waiting.has(first)) return;
      if (room.isSlow(this.#options.arrivalMs)) room.giveWay();
    }
  }
}

interface BudgetOfRoom {
  grow(more: number): void;
  release(all: number): void;
}

/** The room that a body takes in a budget until it is released. */
export class HeldRoom {
  readonly #since = performance.now();
  /** Aborts the upload, which frees its share of the budget. */
  readonly giveWay: () => void;
  readonly #budget: BudgetOfRoom;
  #bytes: number;
  #received = 0;
  #state: "arriving" | "arrived" | "released" = "arriving";

  constructor(bytes: number, giveWay: () => void, budget: BudgetOfRoom) {
    this.#bytes = bytes;
    this.giveWay = giveWay;
    this.#budget = budget;
  }

  receive(bytes: number): void {
    this.#received += bytes;
  }

  isSlow(arrivalMs: number): boolean {
    const ms = performance.now() - this.#since;
    if (this.#state !== "arriving" || ms < beginMs) return false;
    return ms > arrivalMs || this.#received < (ms - beginMs) * bytesPerMs;
  }

  /** Marks the body as complete. From now on, the service decides how long the room is held, not the sender. */
  arrived(): void {
    if (this.#state === "arriving") this.#state = "arrived";
  }

  /** @throws ProblemError 503 when there is no room for a body of this size. */
  growTo(bytes: number): void {
    if (bytes <= this.#bytes) return;
    this.#budget.grow(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  release(): void {
    if (this.#state === "released") return;
    this.#state = "released";
    this.#budget.release(this.#bytes);
  }
}

export function tooBusy(): ProblemError {
  return new ProblemError({
    code: "TOO_BUSY",
    detail: "More is being sent to this service than it can hold. Nothing was changed; send it again later.",
    headers: { "retry-after": String(retrySeconds) },
  });
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
/** Nearly all bodies are smaller. */
const smallBytes = 256 * kibibyte;

/** Room for the bodies of one kind of sender. Large bodies have a separate budget, so that small ones never wait for them. */
export class BodyLanes {
  readonly small: BodyBudget;
  readonly large: BodyBudget;

  constructor(small: BodyBudget, large: BodyBudget) {
    this.small = small;
    this.large = large;
  }

  /** A body without content-length counts as small until it exceeds the limit. */
  of(announced: number | null): Pick<BodyOptions, "budget" | "gate"> {
    if (announced !== null && announced > smallBytes) return { budget: this.large };
    return { budget: this.small, gate: { at: smallBytes, budget: this.large, pass: async () => {} } };
  }
}

const patience = { waiting: 64, waitMs: 15_000, arrivalMs: 10_000 };
/** GitHub waits for ten seconds in total. */
const webhookPatience = { waiting: 64, waitMs: 5_000, arrivalMs: 3_000 };

/** For people and workflows with a token. */
export function tokenLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 16 * mebibyte, bodies: 1_000, ...patience, waiting: 1_000 }),
    new BodyBudget({ bytes: 21 * mebibyte, bodies: 64, ...patience }),
  );
}

/** For forks' runs: `small` before the run is verified, `large` afterwards. */
export function forkLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 8 * mebibyte, bodies: 64, ...patience }),
    new BodyBudget({ bytes: 21 * mebibyte, bodies: 16, ...patience }),
  );
}

/** For webhooks. Their sender is verified only after the whole body has arrived. */
export function webhookLanes(): BodyLanes {
  return new BodyLanes(
    new BodyBudget({ bytes: 8 * mebibyte, bodies: 256, ...webhookPatience, waiting: 256 }),
    new BodyBudget({ bytes: 26 * mebibyte, bodies: 16, ...webhookPatience }),
  );
}

/** For our own bot, in this process. */
export function botBudget(): BodyBudget {
  return new BodyBudget({ bytes: 64 * mebibyte, bodies: 10_000, ...patience, waiting: 10_000 });
}
