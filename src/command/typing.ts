/** White space and characters that cannot be seen, except ends of lines. */
const spaces = String.raw`\t\v\f \u00ad\u00a0\u1680\u2000-\u200b\u200e\u200f\u2028\u2029\u202f\u205f-\u2060\u3000\ufeff`;
export const space = `[${spaces}]`;
const quotationMarks = "“”„‟＂";
/** In ASCII quotation marks, text is not changed. */
const typed = new RegExp(
  [
    String.raw`"(?:[^"\\]|\\.)*(?:"|\\?$)`,
    `[${quotationMarks}](?<quoted>[^"${quotationMarks}]*)["${quotationMarks}]`,
    `(?<mark>[${quotationMarks}])`,
    `(?<space>[${spaces}])`,
    String.raw`(?<dashes>(?<![^${spaces}])[\u2013-\u2015\u2212]{1,2}(?=\p{L}))`,
    String.raw`(?<hyphen>[\u2010\u2011])`,
    String.raw`(?<wide>[\uff01-\uff5e])`,
  ].join("|"),
  "gsu",
);

/**
 * Replaces what keyboards and word processors write for plain ASCII: other spaces, full-width characters, smart quotes, and long
 * dashes for the two hyphens of an option.
 */
export function toPlainTyping(text: string): string {
  return text.replaceAll(typed, (found: string, ...rest) => {
    const { quoted, mark, space, dashes, hyphen, wide } = rest.at(-1) as Record<string, string | undefined>;
    if (quoted !== undefined) return `"${quoted}"`;
    if (mark !== undefined) return '"';
    if (space !== undefined) return " ";
    if (dashes !== undefined) return "--";
    if (hyphen !== undefined) return "-";
    return wide === undefined ? found : String.fromCharCode(wide.charCodeAt(0) - 0xfee0);
  });
}

/** Removes punctuation at the end of a word. */
export function withoutPeriod(word: string): string {
  return word.replace(/(?<![.!,;。])[.!,;。]+$/, "");
}

/** A pattern for a name in ASCII or full-width characters. */
export function patternOf(name: string): string {
  return [...name]
    .map((character) => {
      const wide = /[!-~]/.test(character) ? String.fromCharCode(character.charCodeAt(0) + 0xfee0) : "";
      return `[${RegExp.escape(character)}${wide}]`;
    })
    .join("");
}

/** A pattern for a mention of the App, whose name contains that of the prefix; matches nothing if the prefix has no name. */
export function mentionOf(prefix: string): string {
  const name = nameOf(prefix);
  return name === "" ? "(?!)" : String.raw`[@＠](?:\w+-){0,4}${patternOf(name)}(?:-\w+){0,4}(?:\[bot\])?`;
}

/** The prefix without the characters before its name. */
export function nameOf(prefix: string): string {
  return prefix.replace(/^[^\p{L}\p{N}]+/u, "");
}
