import { EventHeap } from "../../../src/replay/engine-run/event-heap.ts";
import type { ReferencePolicy, ReferenceQueue, ReferenceRun } from "./run-reference.ts";

interface Candidate {
  readonly index: number;
  /** Earlier pull requests that share a target with it. */
  readonly dependencies: readonly Candidate[];
  readonly followers: Candidate[];
  /** Running test runs and known verdicts, by the dependencies in their trees. */
  readonly runs: Map<string, { readonly run: ReferenceRun; readonly tree: ReadonlySet<number> }>;
  readonly verdicts: Map<string, boolean>;
  fate: "open" | "merged" | "rejected";
  /** The probability that it merges; null = it must be estimated again. */
  success: number | null;
}

/** The probability that two pull requests with a common target conflict. */
const conflictShare = 0.04;
const planEveryMinutes = 0.5;
const leastLikelihood = 1e-6;

/**
 * Tests the likeliest outcomes of each pull request's dependencies, best first, and never preempts a run. Rejects at the first
 * red run on the actual predecessors. Source: Uber, "Keeping Master Green at Scale" (EuroSys 2019), and uber/submitqueue.
 */
export class SubmitQueue implements ReferencePolicy {
  readonly #queue: ReferenceQueue;
  readonly #undecided = new Map<number, Candidate>();
  readonly #candidates = new Map<ReferenceRun, { readonly candidate: Candidate; readonly path: string }>();
  #changed = false;
  #plannedAt = Number.NEGATIVE_INFINITY;
  #wakes = Number.NEGATIVE_INFINITY;

  constructor(queue: ReferenceQueue) {
    this.#queue = queue;
  }

  arrive(index: number): void {
    const neighbours = this.#queue.neighboursOf(index);
    const candidate: Candidate = {
      index,
      dependencies: [...neighbours].flatMap((other) => this.#undecided.get(other) ?? []),
      followers: [],
      runs: new Map(),
      verdicts: new Map(),
      fate: "open",
      success: null,
    };
    for (const dependency of candidate.dependencies) dependency.followers.push(candidate);
    this.#undecided.set(index, candidate);
    this.#changed = true;
  }

  finish(run: ReferenceRun, passed: boolean): void {
    const found = this.#candidates.get(run);
    if (!found) return;
    this.#candidates.delete(run);
    const { candidate, path } = found;
    candidate.runs.delete(path);
    candidate.verdicts.set(path, passed);
    candidate.success = null;
    this.#decide(candidate);
    this.#changed = true;
  }

  act(): void {
    const { now } = this.#queue;
    if (!this.#changed) return;
    const due = this.#plannedAt + planEveryMinutes;
    if (now >= due - 1e-6) return this.#plan();
    if (this.#wakes === due) return;
    this.#wakes = due;
    this.#queue.wakeAt(due);
  }

  /** Decides about a pull request, and about all followers that waited only for that. */
  #decide(first: Candidate): void {
    const ready = [first];
    for (let candidate = ready.pop(); candidate; candidate = ready.pop()) {
      const { index, dependencies, followers } = candidate;
      if (candidate.fate !== "open" || dependencies.some(({ fate }) => fate === "open")) continue;
      const verdict = candidate.verdicts.get(pathOf(dependencies.filter(({ fate }) => fate === "merged")));
      if (verdict === undefined) continue;
      candidate.fate = verdict ? "merged" : "rejected";
      this.#undecided.delete(index);
      this.#discard(candidate, () => true);
      if (verdict) this.#queue.merge(index);
      else this.#queue.reject(index);
      for (const follower of followers) {
        follower.success = null;
        this.#discard(follower, (tree) => tree.has(index) !== verdict);
      }
      ready.push(...followers);
    }
  }

  #discard({ runs }: Candidate, isUseless: (tree: ReadonlySet<number>) => boolean): void {
    for (const [path, { run, tree }] of runs) {
      if (!isUseless(tree)) continue;
      this.#queue.discard(run);
      this.#candidates.delete(run);
      runs.delete(path);
    }
  }

  #plan(): void {
    this.#changed = false;
    this.#plannedAt = this.#queue.now;
    const { workers } = this.#queue;
    const paths = new LikeliestPaths<Candidate>();
    for (const candidate of [...this.#undecided.values()].slice(0, Math.max(150, workers * 2))) {
      const open = candidate.dependencies.filter(({ fate }) => fate === "open");
      const dependencies = open.map((one) => ({ index: one.index, success: this.#successOf(one) }));
      paths.add(candidate, dependencies);
    }
    let wanted = 0;
    for (
      let looks = workers * 6 + 400;
      looks > 0 && wanted < workers && this.#queue.freeWorkers > 0;
      looks--
    ) {
      const path = paths.next();
      if (!path || path.likelihood < leastLikelihood) return;
      if (this.#follow(path)) wanted++;
    }
  }

  /** Tests the path, unless its verdict is known. Keeps a run that is already running. */
  #follow({ subject, merging }: SpeculationPath<Candidate>): boolean {
    const ahead = subject.dependencies.filter(({ fate, index }) => fate === "merged" || merging.has(index));
    const path = pathOf(ahead);
    if (subject.verdicts.has(path)) return false;
    if (subject.runs.has(path)) return true;
    const tree = ahead.map(({ index }) => index);
    const run = this.#queue.start([subject.index], [...tree, subject.index]);
    subject.runs.set(path, { run, tree: new Set(tree) });
    this.#candidates.set(run, { candidate: subject, path });
    return true;
  }

  #successOf(candidate: Candidate): number {
    candidate.success ??= this.#estimate(candidate);
    return candidate.success;
  }

  #estimate({ index, dependencies, verdicts }: Candidate): number {
    const open = dependencies.filter(({ fate }) => fate === "open").length;
    const prior = (1 - this.#queue.riskOf(index)) * (1 - conflictShare) ** open;
    if (verdicts.size === 0) return prior;
    const likeliest = verdicts.get(pathOf(dependencies.filter(({ fate }) => fate !== "rejected")));
    if (likeliest !== undefined) return likeliest ? 0.995 : 0.04;
    return [...verdicts.values()].reduce((p, passed) => (passed ? 1 - (1 - p) * 0.2 : p * 0.4), prior);
  }
}

function pathOf(ahead: readonly Candidate[]): string {
  return ahead.map(({ index }) => index).join(",");
}

/** An undecided pull request that another one depends on. */
interface OpenDependency {
  readonly index: number;
  /** The probability that it merges. */
  readonly success: number;
}

/** One possible outcome of the dependencies of a pull request. */
interface SpeculationPath<T> {
  readonly subject: T;
  /** The open dependencies that merge on this path. */
  readonly merging: ReadonlySet<number>;
  readonly likelihood: number;
}

interface Flip {
  readonly index: number;
  readonly merges: boolean;
  /** The factor on the path's likelihood if this dependency has the less likely outcome. */
  readonly factor: number;
}

interface Partial<T> {
  readonly subject: T;
  /** The least certain ones first. */
  readonly flips: readonly Flip[];
  /** Positions in `flips` with the less likely outcome, ascending. */
  readonly taken: readonly number[];
  readonly likelihood: number;
}

/** Yields the paths of all subjects, likeliest first, without enumerating their 2^n possibilities. */
export class LikeliestPaths<T> {
  readonly #heap = new EventHeap<Partial<T>>();

  add(subject: T, dependencies: readonly OpenDependency[]): void {
    const flips = dependencies.map(({ index, success }): Flip => {
      const likelier = Math.max(success, 1 - success);
      return { index, merges: success >= 0.5, factor: (1 - likelier) / likelier };
    });
    const likelihood = dependencies.reduce((all, { success }) => all * Math.max(success, 1 - success), 1);
    this.#push({ subject, flips: flips.sort((a, b) => b.factor - a.factor), taken: [], likelihood });
  }

  next(): SpeculationPath<T> | null {
    const path = this.#heap.next()?.event;
    if (!path) return null;
    this.#branch(path);
    const { subject, flips, taken, likelihood } = path;
    const merging = flips.filter(({ merges }, place) => merges !== taken.includes(place));
    return { subject, likelihood, merging: new Set(merging.map(({ index }) => index)) };
  }

  /**
   * Adds the two next likeliest paths: one with an additional flip, and one with the last flip moved by one. Together they reach
   * every path once.
   */
  #branch({ subject, flips, taken, likelihood }: Partial<T>): void {
    const last = taken.at(-1) ?? -1;
    const following = flips[last + 1];
    if (!following) return;
    const more = likelihood * following.factor;
    this.#push({ subject, flips, taken: [...taken, last + 1], likelihood: more });
    if (last < 0) return;
    const moved = more / Math.max(1e-12, flips[last]?.factor ?? 1);
    this.#push({ subject, flips, taken: [...taken.slice(0, -1), last + 1], likelihood: moved });
  }

  #push(path: Partial<T>): void {
    this.#heap.schedule(-path.likelihood, path);
  }
}
