import { nearestName } from "./nearest-name.ts";

/** What may follow a verb. */
export interface Expected {
  /** By their long names; `true` when a value follows. */
  readonly flags: Readonly<Record<string, boolean>>;
  /** Whether a word is one of those that may stand by itself; at most one may. */
  readonly word?: RegExp;
}

export interface Arguments {
  readonly word: string | null;
  /** "" for a flag without a value. */
  readonly flags: ReadonlyMap<string, string>;
}

const shortNames: Readonly<Record<string, string>> = { "-p": "--priority" };

/** Words and flags, in any order: `--flag=value`, `--flag value`, `--flag="several words"`. Or a sentence about what is wrong. */
export function parseArguments(text: string, expected: Expected): Arguments | string {
  if ((text.match(/"/g)?.length ?? 0) % 2 === 1) return "A quotation mark has no other.";
  const words = text.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
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
    const value = takesValue ? unquoted(equals ? inline : (words[++i] ?? "")) : "";
    if (takesValue && value.trim() === "") return `${quoted(name)} needs a value.`;
    flags.set(name, value);
  }
  return { word, flags };
}

function unknown(given: string, { flags }: Expected): string {
  const name = given.replace(/=.*$/s, "");
  const meant = /^[-–—]/.test(name) ? nearestName(name, Object.keys(flags)) : null;
  return `${quoted(given)} means nothing here.${meant === null ? "" : ` Did you mean \`${meant}\`?`}`;
}

function unquoted(value: string): string {
  return value.replaceAll('"', "");
}

/** A piece of a comment as our answers may repeat it: as code, so that it mentions nobody, and not at any length. */
export function quoted(text: string): string {
  const plain = text.replaceAll(/[`\p{Cc}]/gu, "'");
  return `\`${plain.length > 60 ? `${plain.slice(0, 60)}…` : plain}\``;
}
