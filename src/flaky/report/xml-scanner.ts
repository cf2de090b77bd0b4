import { malformed, ReportRefused } from "./fault.ts";
import { NextOf } from "./next-of.ts";
import { checkName, nameEnd } from "./xml-name.ts";
import { createTagReader, type XmlAttributes } from "./xml-tag.ts";
import { longestReference, textOf, unified } from "./xml-text.ts";

/** The events of a document, in its order. Each handler may refuse the report by throwing `ReportRefused`. */
export interface XmlEvents {
  readonly open: (name: string, attributes: XmlAttributes) => void;
  /** One text may arrive in several pieces. */
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
  readonly comment: (text: string) => void;
}

/** Finds tags, text and comments in a document that arrives in pieces. */
export interface XmlScanner {
  /**
   * Returns how many characters of a piece were scanned. The rest has to be passed again, followed by more.
   *
   * @throws ReportRefused when the document is not well-formed.
   */
  readonly scan: (piece: string) => number;
  /** The position in the piece at which scanning stopped, or at which the refused part begins. */
  readonly stoppedAt: () => number;
  /** Whether the root has begun and ended. */
  readonly isWhole: () => boolean;
}

const less = 60;
const greater = 62;
const cdata = "<![CDATA[";
const declaration =
  /^<\?xml\s+version\s*=\s*(["'])1\.\d+\1(?:\s+encoding\s*=\s*(["'])[A-Za-z][\w.-]*\2)?(?:\s+standalone\s*=\s*(["'])(?:yes|no)\3)?\s*\?>$/;

/**
 * Scans well-formed XML 1.0 without a document type. Raw control characters are accepted, because test output holds them and most
 * writers do not remove them. Namespaces have no meaning here.
 */
export function createXmlScanner(events: XmlEvents): XmlScanner {
  const tags = createTagReader();
  /** Sequences with a special meaning in text. */
  const special = ["&", "\r", "]]>"].map((sought) => new NextOf(sought));
  /** The open elements, from the root on. */
  const open: string[] = [];
  let hasBegun = false;
  let hasRoot = false;
  let isInCdata = false;
  let text = "";
  let stoppedAt = 0;

  function scan(piece: string): number {
    text = piece;
    tags.begin(piece);
    for (const next of special) next.begin(piece);
    let at = 0;
    while (at < text.length) {
      stoppedAt = at;
      const next = isInCdata ? readCdata(at) : text.charCodeAt(at) === less ? readMarkup(at) : readText(at);
      if (next === at) break;
      at = next;
      hasBegun = true;
    }
    stoppedAt = at;
    return at;
  }

  // Each of these functions reads from a position, and returns the position that it has reached. If the end has not arrived yet, it
  // returns the same position.

  function readText(at: number): number {
    const tag = text.indexOf("<", at);
    if (open.length === 0) return readSpace(at, tag === -1 ? text.length : tag);
    const end = tag === -1 ? Math.max(at, unambiguousEnd(at)) : tag;
    const raw = text.slice(at, end);
    if (raw !== "") events.text(isPlain(at, end) ? raw : textOf(raw));
    return end;
  }

  function isPlain(from: number, end: number): boolean {
    for (const next of special) if (next.from(from) < end) return false;
    return true;
  }

  function readSpace(at: number, end: number): number {
    if (/[^ \t\n\r]/.test(text.slice(at, end))) throw malformed("text outside of the root element");
    return end;
  }

  /** The end of the available text, without a last part whose meaning depends on what follows. */
  function unambiguousEnd(at: number): number {
    const reference = text.lastIndexOf("&");
    const isReference = reference >= at && text.length - reference <= longestReference;
    if (isReference && !text.includes(";", reference)) return reference;
    return text.length - (/(?:\r|\]\]?)$/.exec(text.slice(-2))?.[0].length ?? 0);
  }

  function readCdata(at: number): number {
    const end = text.indexOf("]]>", at);
    let upTo = end === -1 ? Math.max(at, text.length - 2) : end;
    if (end === -1 && upTo > at && text.charAt(upTo - 1) === "\r") upTo -= 1;
    if (upTo > at) events.text(unified(text.slice(at, upTo)));
    if (end === -1) return upTo;
    isInCdata = false;
    return end + "]]>".length;
  }

  function readMarkup(at: number): number {
    switch (text.charAt(at + 1)) {
      case "/":
        return readEndTag(at);
      case "!":
        return text.startsWith("<!--", at) ? readComment(at) : readDeclaration(at);
      case "?":
        return readInstruction(at);
      case "":
        return at;
      default:
        return readStartTag(at);
    }
  }

  function readStartTag(at: number): number {
    const tag = tags.read(at);
    if (!tag) return at;
    const { name, attributes, isEmpty, end } = tag;
    if (hasRoot && open.length === 0) throw malformed("a second root element");
    hasRoot = true;
    open.push(name);
    events.open(name, attributes);
    if (isEmpty) close(name);
    return end;
  }

  function readEndTag(at: number): number {
    const name = open.at(-1) ?? "";
    let end = at + 2 + name.length;
    if (name === "" || !text.startsWith(name, at + 2) || text.charCodeAt(end) !== greater) {
      end = text.indexOf(">", at);
      if (end === -1) return at;
      const said = text.slice(at + 2, end).replace(/[ \t\n\r]+$/, "");
      if (name === "" || said !== name)
        throw malformed(`</${said.slice(0, 40)}> ends ${name === "" ? "nothing" : `<${name.slice(0, 40)}>`}`);
    }
    close(name);
    return end + 1;
  }

  function close(name: string): void {
    open.pop();
    events.close(name);
  }

  function readComment(at: number): number {
    const end = text.indexOf("--", at + 4);
    if (end === -1 || end + 2 === text.length) return at;
    if (text.charCodeAt(end + 2) !== greater) throw malformed('"--" within a comment');
    events.comment(unified(text.slice(at + 4, end)));
    return end + 3;
  }

  function readDeclaration(at: number): number {
    const beginning = text.slice(at, at + cdata.length);
    if (beginning === cdata) {
      if (open.length === 0) throw malformed("text outside of the root element");
      isInCdata = true;
      return at + cdata.length;
    }
    if (/^<!doctype/i.test(beginning))
      throw new ReportRefused(
        "DOCTYPE_REFUSED",
        "a report may hold no DOCTYPE: no tool writes one, and entities are a risk",
      );
    if ([cdata, "<!DOCTYPE", "<!--"].some((whole) => whole.startsWith(beginning.toUpperCase()))) return at;
    throw malformed('"<!" begins neither a comment nor a CDATA section');
  }

  function readInstruction(at: number): number {
    const end = text.indexOf("?>", at + 2);
    if (end === -1) return at;
    const target = text.slice(at + 2, nameEnd(text, at + 2));
    if (target.toLowerCase() !== "xml") checkName(target);
    else if (hasBegun) throw malformed("an XML declaration that is not at the beginning");
    else if (!declaration.test(text.slice(at, end + 2))) throw malformed("an XML declaration that is none");
    return end + 2;
  }

  return { scan, stoppedAt: () => stoppedAt, isWhole: () => hasRoot && open.length === 0 && !isInCdata };
}
