import { Optimistic } from "./optimistic.ts";
import type { ReferencePolicy, ReferenceQueue, ReferenceRun } from "./run-reference.ts";
import { SubmitQueue } from "./submit-queue.ts";

/** The policies that Trainyard's policy is compared with. */
export const referencePolicies = {
  serial: (queue) => new Serial(queue),
  bors: (queue) => new Bors(queue),
  optimistic: (queue) => new Optimistic(queue),
  github: (queue) => new Optimistic(queue, true),
  submitqueue: (queue) => new SubmitQueue(queue),
  oracle: (queue) => new Oracle(queue),
} as const satisfies Record<string, (queue: ReferenceQueue) => ReferencePolicy>;

export type ReferencePolicyName = keyof typeof referencePolicies;

export function isReferencePolicyName(name: string): name is ReferencePolicyName {
  return Object.hasOwn(referencePolicies, name);
}

const maxBatch = 16;

/** Tests one batch at a time. Halves a red batch until single pull requests are the culprits. Source: bors-ng. */
class Bors implements ReferencePolicy {
  readonly #queue: ReferenceQueue;
  #waiting: number[] = [];
  /** Parts of red batches. The last part is tested first. */
  readonly #parts: number[][] = [];
  #running = false;

  constructor(queue: ReferenceQueue) {
    this.#queue = queue;
  }

  arrive(index: number): void {
    this.#waiting.push(index);
  }

  finish({ members }: ReferenceRun, passed: boolean): void {
    this.#running = false;
    const [first] = members;
    if (passed) for (const index of members) this.#queue.merge(index);
    else if (members.length === 1 && first !== undefined) this.#queue.reject(first);
    else this.#halve(members);
  }

  act(): void {
    if (this.#running) return;
    const batch = this.#parts.pop() ?? this.#take();
    if (batch.length === 0) return;
    this.#running = true;
    this.#queue.start(batch, batch);
  }

  #halve(members: readonly number[]): void {
    const middle = members.length >> 1;
    this.#parts.push(members.slice(middle), members.slice(0, middle));
  }

  #take(): number[] {
    const batch = this.#waiting.slice(0, maxBatch);
    this.#waiting = this.#waiting.slice(maxBatch);
    return batch;
  }
}

/** Tests pull requests one after the other, each alone on the base. */
class Serial implements ReferencePolicy {
  readonly #queue: ReferenceQueue;
  readonly #waiting: number[] = [];
  #next = 0;
  #running = false;

  constructor(queue: ReferenceQueue) {
    this.#queue = queue;
  }

  arrive(index: number): void {
    this.#waiting.push(index);
  }

  finish({ members }: ReferenceRun, passed: boolean): void {
    this.#running = false;
    for (const index of members) {
      if (passed) this.#queue.merge(index);
      else this.#queue.reject(index);
    }
  }

  act(): void {
    const index = this.#waiting[this.#next];
    if (this.#running || index === undefined) return;
    this.#next++;
    this.#running = true;
    this.#queue.start([index], [index]);
  }
}

interface Candidate {
  readonly index: number;
  /** Number of undecided earlier pull requests that share a target with it. */
  waitsFor: number;
  readonly followers: Candidate[];
  tested: boolean;
}

/**
 * Knows every outcome. It makes one run for each pull request, in order of arrival, and none of its runs flakes. Pull requests
 * that share a target merge in order. No policy that tests each pull request separately does better.
 */
class Oracle implements ReferencePolicy {
  readonly foresees = true;
  readonly #queue: ReferenceQueue;
  readonly #undecided = new Map<number, Candidate>();
  readonly #waiting: number[] = [];
  #next = 0;

  constructor(queue: ReferenceQueue) {
    this.#queue = queue;
  }

  arrive(index: number): void {
    const candidate: Candidate = { index, waitsFor: 0, followers: [], tested: false };
    for (const neighbour of this.#queue.neighboursOf(index)) {
      const earlier = this.#undecided.get(neighbour);
      if (!earlier) continue;
      earlier.followers.push(candidate);
      candidate.waitsFor++;
    }
    this.#undecided.set(index, candidate);
    this.#waiting.push(index);
  }

  finish({ members }: ReferenceRun): void {
    const ready = members.flatMap((index) => this.#undecided.get(index) ?? []);
    for (const candidate of ready) candidate.tested = true;
    for (let candidate = ready.pop(); candidate; candidate = ready.pop()) {
      if (!candidate.tested || candidate.waitsFor > 0) continue;
      this.#undecided.delete(candidate.index);
      if (this.#queue.isBad(candidate.index)) this.#queue.reject(candidate.index);
      else this.#queue.merge(candidate.index);
      for (const follower of candidate.followers) follower.waitsFor--;
      ready.push(...candidate.followers);
    }
  }

  act(): void {
    for (; this.#queue.freeWorkers > 0; this.#next++) {
      const index = this.#waiting[this.#next];
      if (index === undefined) return;
      this.#queue.start([index], [index]);
    }
  }
}
