import type { ReferencePolicy, ReferenceQueue, ReferenceRun } from "./reference-run.ts";

/** Tests pull requests one after the other, each alone on the base. */
export class Serial implements ReferencePolicy {
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
