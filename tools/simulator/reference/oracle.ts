import type { ReferencePolicy, ReferenceQueue, ReferenceRun } from "./reference-run.ts";

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
export class Oracle implements ReferencePolicy {
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
