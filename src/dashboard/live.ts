import type { FastifyReply } from "fastify";
import type { Logger } from "../ports/runtime.ts";

/** Changes that come in quick succession are shown together. */
const gatherMs = 150;
/** A page shows ages, so it is drawn now and then even if nothing happens; this also keeps proxies from hanging up. */
const idleMs = 10_000;

/** Server-sent events that carry a freshly drawn page whenever its subject changes. */
export class LivePages {
  readonly #streams = new Map<string, Set<Stream>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Has every open page of a subject drawn anew. */
  changed(subject: string): void {
    for (const stream of this.#streams.get(subject) ?? []) stream.drawSoon();
  }

  /** Ends every stream; the pages connect again by themselves. */
  close(): void {
    for (const streams of this.#streams.values()) for (const stream of streams) stream.end();
  }

  /** Answers with a stream of pages. `render` null ends it: there is nothing to be shown any more. */
  open(subject: string, reply: FastifyReply, render: () => Promise<string | null>): void {
    reply.hijack();
    const { raw } = reply;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    raw.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    let gathering: NodeJS.Timeout | null = null;
    let shown = "";
    const draw = async () => {
      gathering = null;
      try {
        const page = await render();
        if (page === null) return stream.end();
        if (page !== shown) raw.write(`data: ${page.replaceAll("\n", "\ndata: ")}\n\n`);
        shown = page;
      } catch (error) {
        this.#log.warn(
          { err: error, subject },
          "could not draw a live page; it stays as it is until the next change",
        );
      }
    };
    const stream: Stream = {
      drawSoon: () => {
        gathering ??= setTimeout(draw, gatherMs);
      },
      end: () => void raw.end(),
    };
    const idle = setInterval(draw, idleMs);
    const streams = this.#streams.get(subject) ?? new Set();
    this.#streams.set(subject, streams.add(stream));
    raw.on("close", () => {
      clearInterval(idle);
      if (gathering) clearTimeout(gathering);
      streams.delete(stream);
      if (streams.size === 0) this.#streams.delete(subject);
    });
    void draw();
  }
}

interface Stream {
  drawSoon(): void;
  end(): void;
}
