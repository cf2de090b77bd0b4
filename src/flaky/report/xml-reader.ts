import { createTextReader } from "./decode-text.ts";
import { type ReportFault, ReportRefused } from "./fault.ts";
import type { ReportLimits } from "./limits.ts";
import { createXmlScanner, type XmlEvents } from "./xml-scanner.ts";

/** Reads one document as it arrives. It keeps no more of it than the tag or comment that it is in. */
export interface XmlReader {
  /** False = it has been refused, and nothing more needs to be given. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** What is wrong with the document; null = it is whole. */
  readonly end: () => ReportFault | null;
}

/** Bytes that are decoded at once: what is kept of the text before them is copied with each. */
const stride = 64 * 1024;

export function createXmlReader(events: XmlEvents, limits: ReportLimits): XmlReader {
  const text = createTextReader();
  let fault: ReportFault | null = null;
  let bytes = 0;
  let lines = 1;
  let hasContent = false;
  /** A tag or comment without its end. */
  let rest = "";
  /** What came since it was looked at. */
  let more: string[] = [];
  let length = 0;
  let depth = 0;

  const scanner = createXmlScanner({
    ...events,
    open(name, attributes) {
      depth += 1;
      if (depth > limits.depth)
        throw new ReportRefused("NESTED_TOO_DEEPLY", `more than ${limits.depth} elements within one another`);
      events.open(name, attributes);
    },
    close(name) {
      depth -= 1;
      events.close(name);
    },
  });

  function add(piece: string): void {
    if (piece === "") return;
    if (!hasContent) hasContent = /\S/.test(piece);
    more.push(piece);
    length += piece.length;
    // What has no end yet is read from its beginning each time. So it has to have doubled, or a long tag in short pieces would take for ever.
    if (length >= rest.length) parse();
    checkLength();
  }

  function parse(): void {
    // Joined, it is one string to V8, and not a tree of strings through which each character is asked for.
    const piece = rest === "" && more.length === 1 ? (more[0] ?? "") : [rest, ...more].join("");
    [rest, more, length] = ["", [], 0];
    try {
      rest = piece.slice(scanner.scan(piece));
    } catch (error) {
      if (!(error instanceof ReportRefused) || error.fault.code !== "MALFORMED") throw error;
      const line = lines + linesIn(piece, scanner.stoppedAt() + error.at);
      throw new ReportRefused("MALFORMED", `not well-formed XML, at line ${line}: ${error.message}`);
    }
    lines += linesIn(piece, scanner.stoppedAt());
  }

  function checkLength(): void {
    const held = rest.length + length;
    if (held <= limits.tag) return;
    if (/^<[^!?]/.test(rest))
      throw new ReportRefused(
        "TAG_TOO_LARGE",
        `a tag of more than ${limits.tag} characters, at line ${lines}`,
      );
    if (held > limits.token)
      throw new ReportRefused(
        "TOKEN_TOO_LARGE",
        `more than ${limits.token} characters in one piece, at line ${lines}`,
      );
  }

  function finish(): void {
    add(text.end());
    if (more.length > 0) parse();
    if (!hasContent)
      throw new ReportRefused("EMPTY", "the report is empty: the tests may not have run to their end");
    if (rest !== "" || !scanner.isWhole())
      throw new ReportRefused(
        "TRUNCATED",
        `the report ends after ${bytes} bytes, before its root does: it was cut off`,
      );
  }

  /** What is refused comes out of the scanner as an exception, and stops here. */
  function attempt(step: () => void): boolean {
    if (fault) return false;
    try {
      step();
    } catch (error) {
      if (!(error instanceof ReportRefused)) throw error;
      fault = error.fault;
    }
    return fault === null;
  }

  return {
    write: (chunk) =>
      attempt(() => {
        bytes += chunk.length;
        if (bytes > limits.bytes)
          throw new ReportRefused("REPORT_TOO_LARGE", `more than ${limits.bytes} bytes: split it by suite`);
        for (let at = 0; at < chunk.length; at += stride) add(text.read(chunk.subarray(at, at + stride)));
      }),
    end: () => {
      attempt(finish);
      return fault;
    },
  };
}

/** Ends of lines before a place. */
function linesIn(text: string, before: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < before; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
