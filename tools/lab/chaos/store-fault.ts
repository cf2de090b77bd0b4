/** A way in which the database fails for a while. */
export interface StoreFault {
  readonly name: string;
  /** Lets the database fail until `passes` resolves. */
  strike(passes: () => Promise<void>): Promise<void>;
}

/** Makes a fault of what begins and ends it. */
export const lasting = (
  name: string,
  begin: () => Promise<unknown>,
  end: () => Promise<unknown>,
): StoreFault => ({
  name,
  async strike(passes) {
    await begin();
    try {
      await passes();
    } finally {
      await end();
    }
  },
});
