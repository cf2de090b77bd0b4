/**
 * Decides who lives: those whose count of beats has grown within a time, as measured by the clock of this
 * process alone. What is seen for the first time lives.
 */
export class Pulses {
  readonly #deadAfterMs: number;
  readonly #seen = new Map<string, { readonly beats: number; readonly since: number }>();

  constructor(deadAfterMs: number) {
    this.#deadAfterMs = deadAfterMs;
  }

  /** @param now milliseconds of a clock that only goes forward */
  isAlive(id: string, beats: number, now: number): boolean {
    const seen = this.#seen.get(id);
    if (seen?.beats === beats) return now - seen.since < this.#deadAfterMs;
    this.#seen.set(id, { beats, since: now });
    return true;
  }

  /** Forgets everyone else. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
  }
}
