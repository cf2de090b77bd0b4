import { EventHeap } from "../../../src/replay/engine-run/event-heap.ts";
import type { ReferencePolicy, ReferenceQueue, ReferenceRun } from "./run-reference.ts";

interface Candidate {
  readonly index: number;
  readonly arrival: number;
  /** Earlier pull requests that share a target with it. */
  readonly dependencies: readonly Candidate[];
  readonly followers: Candidate[];
  /** Number of undecided dependencies. */
  open: number;
  verdict: "untested" | "passed" | "failed";
  run: ReferenceRun | null;
  /** The pull requests that it is or was tested with; null = it was not tested yet, or the test no longer counts. */
  tree: ReadonlySet<number> | null;
  queued: boolean;
  gone: boolean;
}

/**
 * A pipeline for each set of pull requests that share targets. Each pull request is tested on top of all its dependencies that
 * have not failed, on the assumption that they pass. A failure invalidates all tests that are built on it. Source: Zuul's
 * dependent pipeline behind a conflict analyser.
 */
export class Optimistic implements ReferencePolicy {
  readonly #queue: ReferenceQueue;
  readonly #isOneLine: boolean;
  readonly #undecided = new Map<number, Candidate>();
  readonly #waiting = new EventHeap<Candidate>();
  #arrivals = 0;

  /** @param isOneLine whether each pull request depends on all earlier ones, regardless of their targets */
  constructor(queue: ReferenceQueue, isOneLine = false) {
    this.#queue = queue;
    this.#isOneLine = isOneLine;
  }

  arrive(index: number): void {
    const neighbours = this.#isOneLine ? this.#undecided.keys() : this.#queue.neighboursOf(index);
    const dependencies = [...neighbours].flatMap((other) => this.#undecided.get(other) ?? []);
    const candidate: Candidate = {
      index,
      arrival: this.#arrivals++,
      dependencies,
      followers: [],
      open: dependencies.length,
      verdict: "untested",
      run: null,
      tree: null,
      queued: false,
      gone: false,
    };
    for (const dependency of dependencies) dependency.followers.push(candidate);
    this.#undecided.set(index, candidate);
    this.#wait(candidate);
  }

  finish({ members }: ReferenceRun, passed: boolean): void {
    const [index = -1] = members;
    const candidate = this.#undecided.get(index);
    if (!candidate) return;
    candidate.run = null;
    candidate.verdict = passed ? "passed" : "failed";
    if (!passed) this.#sendBack(candidate, (tree) => tree.has(index));
    this.#decide(candidate);
  }

  act(): void {
    while (this.#queue.freeWorkers > 0) {
      const candidate = this.#waiting.next()?.event;
      if (!candidate) return;
      candidate.queued = false;
      if (candidate.gone || candidate.run || candidate.verdict !== "untested") continue;
      const ahead = candidate.dependencies.filter((one) => !one.gone && one.verdict !== "failed");
      const tree = [...ahead.map((one) => one.index), candidate.index];
      candidate.tree = new Set(tree);
      candidate.run = this.#queue.start([candidate.index], tree);
    }
  }

  /** Decides about a pull request, and about all followers that waited only for that. */
  #decide(first: Candidate): void {
    const ready = [first];
    for (let candidate = ready.pop(); candidate; candidate = ready.pop()) {
      const { index, followers, verdict } = candidate;
      if (candidate.gone || candidate.open > 0 || verdict === "untested") continue;
      candidate.gone = true;
      this.#undecided.delete(index);
      const merges = verdict === "passed";
      if (merges) this.#queue.merge(index);
      else this.#queue.reject(index);
      this.#sendBack(candidate, (tree) => tree.has(index) !== merges);
      for (const follower of followers) follower.open--;
      ready.push(...followers);
    }
  }

  /** Requeues the followers whose tested tree has turned out to be wrong. */
  #sendBack({ followers }: Candidate, isWrong: (tree: ReadonlySet<number>) => boolean): void {
    for (const follower of followers) {
      if (follower.gone || !follower.tree || !isWrong(follower.tree)) continue;
      if (follower.run) this.#queue.discard(follower.run);
      follower.run = null;
      follower.tree = null;
      follower.verdict = "untested";
      this.#wait(follower);
    }
  }

  #wait(candidate: Candidate): void {
    if (candidate.queued) return;
    candidate.queued = true;
    this.#waiting.schedule(candidate.arrival, candidate);
  }
}
