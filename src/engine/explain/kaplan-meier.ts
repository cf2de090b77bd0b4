interface Step {
  readonly at: number;
  /** The share that goes on for longer. */
  readonly left: number;
}

/**
 * How long things last, when some have ended and some still go on: the product-limit estimate.
 * Source: Kaplan and Meier, "Nonparametric estimation from incomplete observations" (1958).
 */
export class Survival {
  readonly #steps: readonly Step[];
  readonly #longest: number;

  /** @param ended how long each took. @param ongoing how long each has lasted so far. */
  constructor(ended: readonly number[], ongoing: readonly number[]) {
    const all = [
      ...ended.map((at) => ({ at, ended: true })),
      ...ongoing.map((at) => ({ at, ended: false })),
    ].sort((a, b) => a.at - b.at || Number(b.ended) - Number(a.ended));
    const steps: Step[] = [];
    let left = 1;
    for (const [index, one] of all.entries()) {
      if (!one.ended) continue;
      left *= 1 - 1 / (all.length - index);
      steps.push({ at: one.at, left });
    }
    this.#steps = steps;
    this.#longest = all.at(-1)?.at ?? 0;
  }

  /**
   * So long it takes at most for a share of those that have lasted for an age. Beyond what was ever seen, it is expected to
   * go on for as long again, by the share.
   */
  quantile(share: number, age = 0): number {
    const target = this.#leftAt(age) * (1 - share);
    const found = this.#steps.findIndex(({ at, left }) => at > age && left <= target);
    if (found >= 0) return this.#between(found, target);
    return Math.max(this.#longest, age) * (1 + share / 2);
  }

  /** Between the step that reaches a share and the one before it, by the shares. */
  #between(index: number, target: number): number {
    const [before, step] = [this.#steps[index - 1], this.#steps[index]];
    if (!step) return 0;
    if (!before || before.left === step.left) return step.at;
    return before.at + ((step.at - before.at) * (before.left - target)) / (before.left - step.left);
  }

  #leftAt(age: number): number {
    return this.#steps.findLast(({ at }) => at <= age)?.left ?? 1;
  }
}
