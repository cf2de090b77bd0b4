import { malformed } from "./fault.ts";

/** The references that XML defines without a document type, and numeric ones that were found. */
const characters = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);
const mostRemembered = 500;

/** The maximum number of characters of a reference. A number may have leading zeros. */
export const longestReference = 32;

/** Text between tags, with its references resolved and its line ends normalised. */
export function textOf(raw: string): string {
  const end = raw.indexOf("]]>");
  if (end !== -1) throw malformed('"]]>" outside of a CDATA section', end);
  return raw.includes("&") ? resolved(raw) : unified(raw);
}

/** The value of an attribute. Line ends and tabs become spaces, unless they are written as references. */
export function attributeOf(raw: string): string {
  const spaced = raw.replaceAll(/\r\n?|[\n\t]/g, " ");
  return spaced.includes("&") ? resolved(spaced) : spaced;
}

/** Replaces the line ends `\r\n` and `\r` with `\n`. */
export function unified(raw: string): string {
  return raw.includes("\r") ? raw.replaceAll(/\r\n?/g, "\n") : raw;
}

function resolved(raw: string): string {
  let text = "";
  let from = 0;
  for (let at = raw.indexOf("&"); at !== -1; at = raw.indexOf("&", from)) {
    const end = raw.indexOf(";", at);
    if (end === -1 || end - at > longestReference) throw malformed('a bare "&": write it as "&amp;"', at);
    const character = characterOf(raw.slice(at + 1, end));
    if (character === null)
      throw malformed(`${raw.slice(at, end + 1)} is no character: only those of XML itself may be used`, at);
    text += unified(raw.slice(from, at)) + character;
    from = end + 1;
  }
  return text + unified(raw.slice(from));
}

/** Null = not a reference to a character. */
function characterOf(reference: string): string | null {
  const known = characters.get(reference);
  if (known !== undefined) return known;
  const isNumber = /^#(?:x[0-9a-fA-F]+|[0-9]+)$/.test(reference);
  const code = isNumber ? Number(reference.replace("#x", "0x").replace("#", "")) : Number.NaN;
  if (!isCharacter(code)) return null;
  const character = String.fromCodePoint(code);
  if (characters.size < mostRemembered) characters.set(reference, character);
  return character;
}

/** Source: XML 1.0, production 2. */
function isCharacter(code: number): boolean {
  return (
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff) ||
    [0x9, 0xa, 0xd].includes(code)
  );
}
