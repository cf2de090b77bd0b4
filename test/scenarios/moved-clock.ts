/** A clock that a test moves, so that waits of the service end at once. */
export class MovedClock {
  #aheadMs = 0;

  readonly now = (): number => Date.now() + this.#aheadMs;

  pass(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Lets a minute pass every half second while something is waited for. */
  async passDuring<T>(waiting: Promise<T>): Promise<T> {
    const passing = setInterval(() => this.pass(60_000), 500);
    try {
      return await waiting;
    } finally {
      clearInterval(passing);
    }
  }
}
