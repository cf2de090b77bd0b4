/** On a terminal, people expect a sign of progress within a second. A log is read later. */
const everyMs = { terminal: 1_000, log: 5_000 } as const;

/** The part of a stream that is used. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows the progress of long work: on a terminal in one line that is rewritten, in a log in further lines from time to time. */
export class Progress {
  readonly #stream: Output;
  readonly #what: string;
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #began: number;
  #shown: number;
  #hasLine = false;

  /** @param what the name of the work, such as `ours: submitted` @param now a steady clock, in milliseconds */
  constructor(stream: Output, what: string, now = () => performance.now()) {
    this.#now = now;
    this.#began = now();
    this.#shown = this.#began;
    this.#stream = stream;
    this.#what = what;
    this.#everyMs = stream.isTTY ? everyMs.terminal : everyMs.log;
  }

  /** Shows the progress if it is time. */
  advance(done: number, total: number): void {
    const now = this.#now();
    if (now - this.#shown < this.#everyMs) return;
    this.#shown = now;
    const text = `${this.#what} ${done} of ${total}, ${Math.round((now - this.#began) / 1_000)} s`;
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
    this.#hasLine = this.#stream.isTTY === true;
  }

  /** Removes the line from the terminal. */
  end(): void {
    if (this.#hasLine) this.#stream.write("\r\x1b[K");
    this.#hasLine = false;
  }
}
