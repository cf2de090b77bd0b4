import type { ReferencePolicy, ReferenceQueue, ReferenceRun } from "./reference-run.ts";

const maxBatch = 16;

/** Tests one batch at a time. Halves a red batch until single pull requests are the culprits. Source: bors-ng. */
export class Bors implements ReferencePolicy {
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
