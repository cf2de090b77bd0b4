import { nearestName } from "./nearest-name.ts";
import { withoutPeriod } from "./typing.ts";

/** The arguments that a verb accepts. */
export interface Expected {
  /** Keyed by their long names; `true` when a value follows, `"lines"` when `\n` between quotation marks breaks its lines. */
  readonly flags: Readonly<Record<string, boolean | "lines">>;
  /** Matches a word that may stand by itself. At most one word may. */
  readonly word?: RegExp;
}

export interface Arguments {
  readonly word: string | null;
  /** "" for a flag without a value. */
  readonly flags: ReadonlyMap<string, string>;
}

const shortNames: Readonly<Record<string, string>> = { "-p": "--priority" };

/**
 * Parses words and flags, in any order: `--flag=value`, `--flag value`, `--flag="several words"`. Between quotation marks,
 * `\"` and `\\` stand for the character itself. Returns a sentence if something is wrong.
 */
export function parseArguments(text: string, expected: Expected): Arguments | string {
  const words: string[] = text.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+/gs) ?? [];
  if (words.some(isOpen)) return "A quotation mark is not closed.";
  const last = withoutPeriod(words.at(-1) ?? "");
  // A period at the end of a value is part of that value.
  if (last === "" || expected.word?.test(last) || expected.flags[last.toLowerCase()] === false)
    words.splice(-1, 1, ...(last === "" ? [] : [last]));
  const flags = new Map<string, string>();
  let word: string | null = null;
  for (let i = 0; i < words.length; i++) {
    const given = words[i] ?? "";
    const [, written = "", equals, inline = ""] = /^([^=]*)(=?)(.*)$/s.exec(given) ?? [];
    const name = shortNames[written.toLowerCase()] ?? written.toLowerCase();
    const takesValue = Object.hasOwn(expected.flags, name) ? expected.flags[name] : undefined;
    if (takesValue === undefined) {
      if (word !== null || !expected.word?.test(given)) return unknown(given, expected);
      word = given;
      continue;
    }
    if (flags.has(name)) return `${quoted(name)} is given twice.`;
    if (!takesValue && equals) return `${quoted(name)} takes no value.`;
    const value = takesValue ? unquoted(equals ? inline : (words[++i] ?? ""), takesValue === "lines") : "";
    if (takesValue && value.trim() === "") return `${quoted(name)} needs a value.`;
    flags.set(name, value);
  }
  return { word, flags };
}

function unknown(given: string, { flags }: Expected): string {
  const name = given.replace(/=.*$/s, "");
  const meant = /^[-–—]/.test(name) ? nearestName(name, Object.keys(flags)) : null;
  return `${quoted(given)} is not an option or argument of this command.${meant === null ? "" : ` Did you mean \`${meant}\`?`}`;
}

/** An unclosed quotation extends to the end of the text, because failing to match it would take quadratic time. */
const quotation = /"((?:[^"\\]|\\.)*)(?:"|(\\?$))/gs;

/** Whether a quotation in the word is unclosed. */
function isOpen(word: string): boolean {
  return [...word.matchAll(quotation)].some(([, , end]) => end !== undefined);
}

function unquoted(value: string, hasLines: boolean): string {
  return value.replaceAll(quotation, (_, inside: string) =>
    inside.replaceAll(/\\(["\\n])/g, (escaped, character: string) => {
      if (character !== "n") return character;
      return hasLines ? "\n" : escaped;
    }),
  );
}

/** Renders a piece of a comment for our answers: as code, so that it mentions nobody, and of limited length. */
export function quoted(text: string): string {
  const plain = text.replaceAll(/[`\p{Cc}]/gu, "'");
  return `\`${plain.length > 60 ? `${plain.slice(0, 60)}…` : plain}\``;
}
