import { SaxesParser } from "saxes";
import { createTextReader } from "./decode-text.ts";
import { type ReportFault, ReportRefused } from "./fault.ts";
import type { ReportLimits } from "./limits.ts";

/** What is told of a document, in its order. Any of them may refuse the report by throwing `ReportRefused`. */
export interface XmlEvents {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
  readonly comment: (text: string) => void;
}

/** Reads one document as it arrives. It keeps no more of it than the token that it is in. */
export interface XmlReader {
  /** False = it has been refused, and nothing more needs to be given. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** What is wrong with the document; null = it is whole. */
  readonly end: () => ReportFault | null;
}

/** Bytes that the parser is given at once: after each of them it is asked how far it has come. */
const stride = 64 * 1024;

export function createXmlReader(events: XmlEvents, limits: ReportLimits): XmlReader {
  const text = createTextReader();
  // With more than seven handlers V8 keeps the parser as a dictionary, and it takes four times as long: hence `prolog`.
  const parser = new SaxesParser();
  let fault: ReportFault | null = null;
  let bytes = 0;
  let depth = 0;
  let hasContent = false;
  /** All up to the root; null once that has begun. */
  let prolog: string | null = "";
  let isWithinTag = false;
  let sinceEvent = 0;

  parser.on("error", ({ message }) => refuse(message));
  parser.on("opentagstart", () => {
    isWithinTag = true;
    sinceEvent = 0;
    if (prolog !== null) refuseDoctypeIn(prolog.slice(0, parser.position));
    prolog = null;
  });
  parser.on("opentag", (tag) => {
    isWithinTag = false;
    sinceEvent = 0;
    depth += 1;
    if (depth > limits.depth)
      throw new ReportRefused("NESTED_TOO_DEEPLY", `more than ${limits.depth} elements within one another`);
    events.open(tag.name, tag.attributes);
  });
  parser.on("closetag", (tag) => {
    sinceEvent = 0;
    depth -= 1;
    events.close(tag.name);
  });
  parser.on("text", (value) => {
    sinceEvent = 0;
    events.text(value);
  });
  parser.on("cdata", (value) => {
    sinceEvent = 0;
    events.text(value);
  });
  parser.on("comment", (value) => {
    sinceEvent = 0;
    events.comment(value);
  });

  /**
   * Raw control characters are not XML, but what a test prints holds them, and most writers let them through. They change no
   * structure, so they alone are passed over; the parser reports any other fault and would read on as if it were mended.
   */
  function refuse(message: string): void {
    if (/disallowed character\.$/.test(message)) return;
    refuseDoctypeIn(prolog ?? "");
    if (/^\S+ (?:unclosed tag|unexpected end|document must contain a root)/.test(message)) return refuseEnd();
    throw new ReportRefused("MALFORMED", `not well-formed XML, at line:column ${message}`);
  }

  function refuseEnd(): never {
    if (!hasContent)
      throw new ReportRefused("EMPTY", "the report is empty: the tests may not have run to their end");
    throw new ReportRefused(
      "TRUNCATED",
      `the report ends after ${bytes} bytes, before its root does: cut off, or its end is hidden behind a bare "&"`,
    );
  }

  function parse(piece: string): void {
    if (!hasContent) hasContent = /\S/.test(piece);
    if (prolog !== null) prolog += piece;
    sinceEvent += piece.length;
    parser.write(piece);
    if (isWithinTag && sinceEvent > limits.tag)
      throw new ReportRefused(
        "TAG_TOO_LARGE",
        `a tag of more than ${limits.tag} characters, at line ${parser.line}`,
      );
    if (sinceEvent > limits.token)
      throw new ReportRefused("TOKEN_TOO_LARGE", `more than ${limits.token} characters in one piece`);
  }

  /** What the handlers refuse comes out of the parser as an exception, and stops here. */
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
        for (let at = 0; at < chunk.length; at += stride) parse(text.read(chunk.subarray(at, at + stride)));
      }),
    end: () => {
      attempt(() => {
        parse(text.end());
        parser.close();
      });
      return fault;
    },
  };
}

/** Only before the root may there be one at all. */
function refuseDoctypeIn(prolog: string): void {
  if (!/<!doctype/i.test(prolog)) return;
  throw new ReportRefused(
    "DOCTYPE_REFUSED",
    "a report may hold no DOCTYPE: no tool writes one, and entities are a risk",
  );
}
