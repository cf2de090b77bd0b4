interface Step {
  readonly at: number;
  /** The share of durations that are longer. */
  readonly left: number;
}

/**
 * The Kaplan-Meier estimate (product-limit estimate) of a duration, from samples that have ended and samples that are still ongoing.
 * Source: Kaplan and Meier, "Nonparametric estimation from incomplete observations" (1958).
 */
export class KaplanMeierEstimate {
  readonly #steps: readonly Step[];
  readonly #longest: number;

  /** @param ended the duration of each ended sample. @param ongoing the duration so far of each ongoing sample. */
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
   * Returns the duration within which `share` of the samples that have reached `age` end. If the samples do not reach that
   * far, it returns the longest known duration (or `age`, if greater) times `1 + share / 2`.
   */
  quantile(share: number, age = 0): number {
    const target = this.#leftAt(age) * (1 - share);
    const found = this.#steps.findIndex(({ at, left }) => at > age && left <= target);
    if (found >= 0) return this.#between(found, target);
    return Math.max(this.#longest, age) * (1 + share / 2);
  }

  /** Interpolates linearly between the step that reaches the target share and the step before it. */
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
