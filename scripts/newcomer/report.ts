/** A step of the newcomer, and how it went. */
export interface Step {
  readonly name: string;
  readonly seconds: number;
  /** Null = it went well. */
  readonly problem: string | null;
}

/** Collects the steps, and prints each one as it ends. */
export class Report {
  readonly steps: Step[] = [];

  /** Runs a step. It returns a problem, or null; an error is a problem, too. */
  async step(name: string, run: () => Promise<string | null>): Promise<boolean> {
    const began = performance.now();
    const problem = await run().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    const step = { name, seconds: (performance.now() - began) / 1_000, problem };
    this.steps.push(step);
    console.log(
      `${problem === null ? "ok    " : "FAILED"} ${step.seconds.toFixed(1).padStart(6)} s  ${name}`,
    );
    if (problem !== null) console.log(problem.replaceAll(/^/gm, "        "));
    return problem === null;
  }

  get failures(): number {
    return this.steps.filter(({ problem }) => problem !== null).length;
  }
}
