import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, createGzip, type Gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import type { Logger } from "../ports/code-host/runtime.ts";

/** Changes within this time are shown together, unless a page says otherwise. */
const usualGatherMs = 150;
/**
 * A page shows ages, so it is redrawn at this interval even without changes. That also keeps proxies from closing the
 * connection.
 */
const idleMs = 10_000;
/** The longest pause between two drawings. A drawing that takes longer has waited for the database, not used the event loop. */
const longestPauseMs = 250;

/** Sends open pages again by server-sent events when their subject changes. */
export class LivePages {
  readonly #streams = new Map<string, Set<Stream>>();
  /** Draws that wait for their turn. */
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
    const zipped = zipFor(reply);
    raw.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    });
    zipped?.pipe(raw);
    const sink = zipped ?? raw;
    let gathering: NodeJS.Timeout | null = null;
    let shown = "";
    const draw = async () => {
      try {
        const page = await render();
        if (page === null) return stream.end();
        // Of most pages a digest is enough, so that many open pages need little memory.
        const known = onlyRows ? page : createHash("sha256").update(page).digest("base64");
        const update = (onlyRows ? changedRows(shown, page) : null) ?? page;
        // The stream may have ended meanwhile, and a write would then end the process.
        if (known !== shown && !sink.writableEnded)
          sink.write(`data: ${update.replaceAll("\n", "\ndata: ")}\n\n`);
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
      end: () => void sink.end(),
    };
    const idle = setInterval(() => this.#drawInTurn(draw), idleMs);
    const streams = this.#streams.get(subject) ?? new Set();
    this.#streams.set(subject, streams.add(stream));
    raw.on("close", () => {
      clearInterval(idle);
      if (gathering) clearTimeout(gathering);
      this.#due.delete(draw);
      streams.delete(stream);
      zipped?.destroy();
      if (streams.size === 0) this.#streams.delete(subject);
    });
    this.#drawInTurn(draw);
  }

  /** Pages are drawn one after another, with a pause as long as each drawing, so that they take at most half of the event loop. */
  async #drawInTurn(draw: () => Promise<void>): Promise<void> {
    this.#due.add(draw);
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    // It also visits what becomes due meanwhile.
    for (const next of this.#due) {
      this.#due.delete(next);
      const began = performance.now();
      await next();
      await sleep(Math.min(performance.now() - began, longestPauseMs));
    }
    this.#isDrawing = false;
  }
}

/**
 * Compresses a stream for a client that accepts it: each page is almost the same as the one before, so that an update takes a few hundred
 * bytes. With this little memory, 200 streams hold 30 MB. Null = the client does not accept it.
 */
function zipFor({ request }: FastifyReply): Gzip | null {
  if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return null;
  return createGzip({ flush: constants.Z_SYNC_FLUSH, memLevel: 5 });
}

interface Stream {
  drawSoon(): void;
  end(): void;
}

const row = /<(tr|li) id="([\w-]+)">[\s\S]*?<\/\1>/g;

/**
 * Returns the rows of tables and lists that differ between two states of a page, each as a part that htmx puts in the place of the row with
 * the same id. Null when more than these rows has changed.
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
