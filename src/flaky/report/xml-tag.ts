import { malformed } from "./fault.ts";
import { NextOf } from "./next-of.ts";
import { detached } from "./test-execution.ts";
import { checkName, nameEnd } from "./xml-name.ts";
import { attributeOf } from "./xml-text.ts";

export type XmlAttributes = Readonly<Record<string, string>>;

/** A start tag. */
export interface XmlTag {
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly isEmpty: boolean;
  /** The position behind it. */
  readonly end: number;
}

export interface TagReader {
  /** Sets the text to read. */
  readonly begin: (text: string) => void;
  /** The start tag at a position, which has to be greater than the previous one. Null: its end has not arrived yet. */
  readonly read: (at: number) => XmlTag | null;
}

/** Attributes by their names, and nothing else: the class inherits no properties, and V8 does not make a dictionary of its objects. */
class Attributes {
  [name: string]: string;
}
Object.setPrototypeOf(Attributes.prototype, null);
Reflect.deleteProperty(Attributes.prototype, "constructor");

interface KnownElement {
  readonly name: string;
  /**
   * In the order of the previous tag. The next one nearly always has the same order; then they need not be read and looked up
   * again.
   */
  readonly attributes: string[];
}

/** The maximum number of elements, and of attributes of each, that are remembered. */
const mostKnown = 32;
/** Characters with a special meaning in an attribute. */
const special = ["&", "\n", "\t", "\r"];
const [tab, lineFeed, carriageReturn, space] = [9, 10, 13, 32];
const [quote, apostrophe, slash, equals, greater] = [34, 39, 47, 61, 62];

export function createTagReader(): TagReader {
  const known = new Map<string, KnownElement>();
  const nextSpecial = special.map((character) => new NextOf(character));
  const nextLess = new NextOf("<");
  let text = "";

  function begin(piece: string): void {
    text = piece;
    for (const next of [...nextSpecial, nextLess]) next.begin(piece);
  }

  function read(at: number): XmlTag | null {
    let from = nameEnd(text, at + 1);
    if (from === text.length) return null;
    const { name, attributes: expected } = elementOf(text.slice(at + 1, from));
    const attributes = new Attributes();
    for (let count = 0; ; count += 1) {
      const before = from;
      from = spaceEnd(from);
      const next = text.charCodeAt(from);
      if (next === greater) return { name, attributes, isEmpty: false, end: from + 1 };
      if (from + 1 >= text.length) return null;
      if (next === slash) {
        if (text.charCodeAt(from + 1) !== greater) throw malformed('a "/" within a tag');
        return { name, attributes, isEmpty: true, end: from + 2 };
      }
      if (from === before) throw malformed("no space between two attributes");
      from = readAttribute(from, attributes, expected, count);
      if (from === -1) return null;
    }
  }

  function elementOf(name: string): KnownElement {
    const found = known.get(name);
    if (found) return found;
    checkName(name);
    const element = { name: detached(name), attributes: [] };
    if (known.size < mostKnown) known.set(element.name, element);
    return element;
  }

  /** Returns the position behind the attribute. -1: its end has not arrived yet. */
  function readAttribute(
    at: number,
    attributes: Record<string, string>,
    expected: string[],
    count: number,
  ): number {
    let name = expected[count];
    if (name === undefined || !text.startsWith(name, at) || text.charCodeAt(at + name.length) !== equals) {
      const end = nameEnd(text, at);
      if (end === text.length) return -1;
      name = detached(text.slice(at, end));
      checkName(name);
      if (count < mostKnown) expected[count] = name;
    }
    const sign = spaceEnd(at + name.length);
    const from = spaceEnd(sign + 1);
    if (from >= text.length) return -1;
    if (text.charCodeAt(sign) !== equals) throw malformed(`the attribute ${name.slice(0, 40)} has no value`);
    const by = text.charCodeAt(from);
    if (by !== quote && by !== apostrophe)
      throw malformed(`the value of ${name.slice(0, 40)} does not stand in quotes`);
    const end = text.indexOf(by === quote ? '"' : "'", from + 1);
    if (nextLess.from(from) < (end === -1 ? text.length : end))
      throw malformed('a "<" within an attribute: write it as "&lt;"');
    if (end === -1) return -1;
    if (attributes[name] !== undefined)
      throw malformed(`the attribute ${name.slice(0, 40)} stands there twice`);
    const raw = text.slice(from + 1, end);
    attributes[name] = isPlain(from, end) ? raw : attributeOf(raw);
    return end + 1;
  }

  function isPlain(from: number, end: number): boolean {
    for (const next of nextSpecial) if (next.from(from) < end) return false;
    return true;
  }

  function spaceEnd(from: number): number {
    let at = from;
    for (; at < text.length; at += 1) {
      const character = text.charCodeAt(at);
      if (character !== space && character !== lineFeed && character !== tab && character !== carriageReturn)
        break;
    }
    return at;
  }

  return { begin, read };
}
