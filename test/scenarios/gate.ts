import type { FinishingJob } from "../../tools/sandbox/ci/ci-settings.ts";

/** Holds the jobs of CI on test branches until it is opened, so that something can happen during the tests. */
export class Gate {
  readonly #opened: Promise<void>;
  #open: () => void = () => {};

  constructor() {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  /** The last step of every job. */
  readonly lastStep = async ({ pr, conclusion }: FinishingJob): Promise<FinishingJob["conclusion"]> => {
    if (pr === null) await this.#opened;
    return conclusion;
  };
}
