import { createTextReader } from "./decode-text.ts";
import { type ReportFault, type ReportLimits, ReportRefused } from "./fault.ts";
import { createXmlScanner, type XmlEvents } from "./xml-scanner.ts";

/** Reads one document as it arrives. It keeps only the tag or comment that it is in. */
export interface XmlReader {
  /** Returns false when the document has been refused. The rest of it is then not needed. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** The fault of the document; null = it is complete. */
  readonly end: () => ReportFault | null;
}

/** The number of bytes that are decoded at once. Each step copies the text that is kept from before. */
const stride = 64 * 1024;

export function createXmlReader(events: XmlEvents, limits: ReportLimits): XmlReader {
  const text = createTextReader();
  let fault: ReportFault | null = null;
  let bytes = 0;
  let lines = 1;
  let hasContent = false;
  /** An incomplete tag or comment. */
  let rest = "";
  /** Text that has arrived since `rest` was scanned. */
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
    // An incomplete token is scanned from its beginning each time. So its length must double first; a long tag in short pieces
    // would take quadratic time otherwise.
    if (length >= rest.length) parse();
    checkLength();
  }

  function parse(): void {
    // `join` makes one flat string. Concatenation makes a tree of strings in V8, in which reading each character is slow.
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

  /** Turns a refusal, which the scanner throws, into a fault. */
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

/** The number of line ends before a position. */
function linesIn(text: string, before: number): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < before; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
