import { SaxesParser } from "saxes";
import { createTextReader } from "./decode-text.ts";
import { type ReportFault, type ReportLimits, ReportRefused } from "./fault.ts";

export type XmlAttributes = Readonly<Record<string, string>>;

/** The events of a document, in its order. Each handler may refuse the report by throwing `ReportRefused`. */
export interface XmlEvents {
  readonly open: (name: string, attributes: XmlAttributes) => void;
  /** One text may arrive in several pieces. */
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
  readonly comment: (text: string) => void;
}

/** Reads one document as it arrives. It keeps only the current tag or comment. */
export interface XmlReader {
  /** Returns false when the document has been refused, so that the rest is not needed. */
  readonly write: (bytes: Uint8Array) => boolean;
  /** The fault of the document; null = it is complete. */
  readonly end: () => ReportFault | null;
}

/** Private fields of the parser. Its version is pinned, and tests fail if their meaning changes. */
interface ParserState {
  /** The part of the current text, comment or value that has arrived. */
  text: string;
  readonly state: number;
  readonly chunk: string;
  /** The position in the chunk after the last character that was read. */
  readonly i: number;
}

const stateWithin = (beginning: string): number => stateOf(new SaxesParser().write(beginning)).state;
const stateOf = (parser: object) => parser as unknown as ParserState;
const inText = new Set(["<a>b", "<a><![CDATA[b", " "].map(stateWithin));
const inReference = stateWithin("<a>&b");
const inToken = new Set(["<!--b", "<!--b-", "<?b c", "<?b c?"].map(stateWithin));
const inDoctype = new Set(["<!DOCTYPE b", "<!DOCTYPE b '", "<!DOCTYPE b ["].map(stateWithin));

/** The number of bytes that are decoded at once. */
const stride = 64 * 1024;

/**
 * Reads well-formed XML 1.0 without a document type. Raw control characters are accepted, because test output
 * holds them and most writers do not remove them. Namespaces have no meaning here.
 */
export function createXmlReader(events: XmlEvents, limits: ReportLimits): XmlReader {
  const decoder = createTextReader();
  const parser = new SaxesParser<{ position: false; xmlns: false }>({ position: false, xmlns: false });
  const state = stateOf(parser);
  let fault: ReportFault | null = null;
  let bytes = 0;
  let hasContent = false;
  let isEnding = false;
  let depth = 0;
  /** The position after the last tag, text or comment. */
  let completeTo = 0;

  function complete<Rest extends unknown[]>(handle: (...rest: Rest) => void): (...rest: Rest) => void {
    return (...rest) => {
      completeTo = parser.position;
      handle(...rest);
    };
  }

  parser.on(
    "opentag",
    complete(({ name, attributes }) => {
      depth += 1;
      if (depth > limits.depth)
        throw new ReportRefused("NESTED_TOO_DEEPLY", `more than ${limits.depth} elements within one another`);
      events.open(name, attributes);
    }),
  );
  parser.on(
    "closetag",
    complete(({ name }) => {
      depth -= 1;
      events.close(name);
    }),
  );
  const passText = complete((text: string) => {
    if (depth > 0) events.text(text);
  });
  parser.on("text", passText);
  parser.on("cdata", passText);
  parser.on("comment", complete(events.comment));
  parser.on("doctype", refuseDoctype);
  parser.on("error", ({ message }) => {
    // The parser reports "<" in an attribute like a control character.
    const isControl = message === "disallowed character." && state.chunk[state.i - 1] !== "<";
    if (isControl) return;
    if (isEnding && state.state !== inReference) throw truncated();
    throw malformed(message);
  });

  function malformed(what: string): ReportRefused {
    return new ReportRefused("MALFORMED", `not well-formed XML, at line ${parser.line}: ${what}`);
  }

  function truncated(): ReportRefused {
    const message = `the report ends after ${bytes} bytes, before its root does: it was cut off`;
    return new ReportRefused("TRUNCATED", message);
  }

  function parse(piece: string): void {
    if (piece === "") return;
    if (!hasContent) hasContent = /\S/.test(piece);
    parser.write(piece);
    if (inText.has(state.state)) {
      // The parser keeps a text until its end, and output may be large.
      passText(state.text);
      state.text = "";
    }
    if (inDoctype.has(state.state)) refuseDoctype();
    checkLength();
  }

  function checkLength(): void {
    const held = parser.position - completeTo;
    const isToken = inToken.has(state.state);
    if (!isToken && held > limits.tag)
      throw new ReportRefused(
        "TAG_TOO_LARGE",
        `a tag of more than ${limits.tag} characters, at line ${parser.line}`,
      );
    if (held > limits.token)
      throw new ReportRefused(
        "TOKEN_TOO_LARGE",
        `more than ${limits.token} characters in one piece, at line ${parser.line}`,
      );
  }

  function finish(): void {
    parse(decoder.end());
    if (!hasContent)
      throw new ReportRefused("EMPTY", "the report is empty: the tests may not have run to their end");
    isEnding = true;
    parser.close();
  }

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
        for (let at = 0; at < chunk.length; at += stride)
          parse(decoder.read(chunk.subarray(at, at + stride)));
      }),
    end: () => {
      attempt(finish);
      return fault;
    },
  };
}

function refuseDoctype(): never {
  throw new ReportRefused(
    "DOCTYPE_REFUSED",
    "a report may hold no DOCTYPE: no tool writes one, and entities are a risk",
  );
}
