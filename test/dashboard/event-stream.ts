/** Reads server-sent events as they arrive. */
export class EventStream {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #abort: AbortController;
  #buffer = "";

  private constructor(response: Response, abort: AbortController) {
    if (!response.body) throw new Error("the answer has no body");
    this.response = response;
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    this.#abort = abort;
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
    const abort = new AbortController();
    return new EventStream(await fetch(url, { headers, signal: abort.signal }), abort);
  }

  /** Returns the data of the next event; null when the server has ended the stream. */
  async next(): Promise<string | null> {
    for (;;) {
      const end = this.#buffer.indexOf("\n\n");
      if (end >= 0) {
        const event = this.#buffer.slice(0, end);
        this.#buffer = this.#buffer.slice(end + 2);
        return event.replaceAll(/^data: ?/gm, "");
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#buffer += value;
    }
  }

  /** Returns the first later event that matches; null when the stream ends before. */
  async nextWith(pattern: RegExp): Promise<string | null> {
    for (;;) {
      const event = await this.next();
      if (event === null || pattern.test(event)) return event;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}
