import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";
import type { FastifyReply } from "fastify";
import type { Logger } from "../ports/code-host/runtime.ts";

/** Changes within this time are shown together, unless a page says otherwise. */
const usualGatherMs = 150;
/** A page shows ages, so it is redrawn at this interval even without changes. This also keeps proxies from closing the connection. */
const idleMs = 10_000;
/** The longest pause between two drawings. A longer drawing has probably waited for the database without using the event loop. */
const longestPauseMs = 250;

/** Sends open pages again by server-sent events when their subject changes. */
export class LivePages {
  readonly #streams = new Map<string, Set<Stream>>();
  /** The pages that wait to be drawn. */
  readonly #due = new Set<() => Promise<void>>();
  #isDrawing = false;
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Redraws every open page of a subject. */
  changed(subject: string): void {
    for (const stream of this.#streams.get(subject) ?? []) stream.drawSoon();
  }

  /** Ends every stream. The pages reconnect by themselves. */
  close(): void {
    for (const streams of this.#streams.values()) for (const stream of streams) stream.end();
  }

  /**
   * Answers with a stream of pages. When `render` returns null, there is nothing left to show and the stream ends.
   *
   * @param options.onlyRows whether changed rows of a table are sent alone, if nothing else of the page has changed
   */
  open(
    subject: string,
    reply: FastifyReply,
    render: () => Promise<string | null>,
    { gatherMs = usualGatherMs, onlyRows = false }: { gatherMs?: number; onlyRows?: boolean } = {},
  ): void {
    reply.hijack();
    const { raw } = reply;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    const zipped = /\bgzip\b/.test(reply.request.headers["accept-encoding"] ?? "") ? new Gzipped() : null;
    raw.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    });
    if (zipped) raw.write(zipped.head);
    let gathering: NodeJS.Timeout | null = null;
    let shown = "";
    const draw = async () => {
      try {
        const page = await render();
        if (page === null) return stream.end();
        // For most pages a digest is enough, so that many open pages need little memory.
        const known = onlyRows ? page : createHash("sha256").update(page).digest("base64");
        const update = (onlyRows ? changedRows(shown, page) : null) ?? page;
        if (known === shown) return;
        const event = Buffer.from(`data: ${update.replaceAll("\n", "\ndata: ")}\n\n`);
        const bytes = zipped ? await zipped.zip(event) : event;
        // The stream may have ended, and a write would then end the process.
        if (!raw.writableEnded) raw.write(bytes);
        shown = known;
      } catch (error) {
        this.#log.warn(
          { err: error, subject },
          "could not render a live page; it is not updated until the next change",
        );
      }
    };
    const stream: Stream = {
      drawSoon: () => {
        gathering ??= setTimeout(() => {
          gathering = null;
          this.#drawInTurn(draw);
        }, gatherMs);
      },
      end: () => void raw.end(zipped?.tail()),
    };
    const idle = setInterval(() => this.#drawInTurn(draw), idleMs);
    const streams = this.#streams.get(subject) ?? new Set();
    this.#streams.set(subject, streams.add(stream));
    raw.on("close", () => {
      clearInterval(idle);
      if (gathering) clearTimeout(gathering);
      this.#due.delete(draw);
      streams.delete(stream);
      if (streams.size === 0) this.#streams.delete(subject);
    });
    this.#drawInTurn(draw);
  }

  /** Pages are drawn one after another, with a pause of three times as long after each, so that they take at most a quarter of the event loop. */
  async #drawInTurn(draw: () => Promise<void>): Promise<void> {
    this.#due.add(draw);
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    // The iteration includes pages that become due meanwhile.
    for (const next of this.#due) {
      this.#due.delete(next);
      const began = performance.now();
      await next();
      await sleep(Math.min(3 * (performance.now() - began), longestPauseMs));
    }
    this.#isDrawing = false;
  }
}

const deflate = promisify(deflateRaw);

/**
 * A gzip stream (RFC 1952) whose events are compressed independently of each other, so that it needs only 8 bytes between two events. A
 * compressor for each open page would hold 150 KB, 30 MB for 200 pages.
 */
class Gzipped {
  /** No name, no time, unknown system. */
  readonly head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
  #crc = 0;
  #length = 0;

  /** Calls must not overlap. */
  async zip(event: Buffer): Promise<Buffer> {
    // A full flush ends at a byte boundary and without a last block, so the events can be written one after the other.
    const bytes = await deflate(event, { finishFlush: constants.Z_FULL_FLUSH });
    this.#crc = crc32(event, this.#crc);
    this.#length += event.length;
    return bytes;
  }

  /** An empty last block, the checksum, and the length modulo 2^32. */
  tail(): Buffer {
    const tail = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    tail.writeUInt32LE(this.#crc, 2);
    tail.writeUInt32LE(this.#length % 2 ** 32, 6);
    return tail;
  }
}

interface Stream {
  drawSoon(): void;
  end(): void;
}

const row = /<(tr|li) id="([\w-]+)">[\s\S]*?<\/\1>/g;

/**
 * Returns the rows of tables and lists that differ between two states of a page, each as a part with which htmx replaces the row with the
 * same id. Null when anything else has changed, too.
 */
export function changedRows(before: string, after: string): string | null {
  const [frameBefore, frameAfter] = [before, after].map((page) => page.replace(row, '<$1 id="$2">'));
  if (frameBefore !== frameAfter) return null;
  const shown = new Map([...before.matchAll(row)].map(([markup, , id]) => [id, markup]));
  return [...after.matchAll(row)]
    .filter(([markup, , id = ""]) => shown.get(id) !== markup)
    .map(([markup, , id]) => `<hx-partial hx-target="#${id}" hx-swap="outerMorph">${markup}</hx-partial>`)
    .join("");
}
