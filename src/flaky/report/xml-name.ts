import { malformed } from "./fault.ts";

/** Source: XML 1.0, productions 4 and 4a. */
const start =
  ":A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const name = new RegExp(`^[${start}][${start}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*$`, "u");

/** The characters that can follow a name. The characters before them are checked when the whole name is known. */
const ending = new Uint8Array(128);
for (const character of " \t\n\r/>=<\"'&?") ending[character.charCodeAt(0)] = 1;

/** The end of the name that begins at `from`. If the end has not arrived yet, the length of the text. */
export function nameEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && ending[text.charCodeAt(at)] !== 1) at += 1;
  return at;
}

export function checkName(text: string): void {
  if (!name.test(text)) throw malformed(`"${text.slice(0, 40)}" is no name of an element or attribute`);
}
