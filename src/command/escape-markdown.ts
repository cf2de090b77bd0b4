/**
 * Text that somebody else has written, as GitHub's Markdown that shows it and does nothing: no link, mention, reference, HTML, or
 * block. What Markdown reads is escaped. Mentions, references and addresses are found in what the Markdown came to, escaped or
 * not; an invisible space within makes them none.
 */

const invisible = "\u200b";
const longestText = 500;
const longestCode = 300;

/** Foreign text within a line. References in `kept`, such as `#12`, stay references. */
export function escapeMarkdown(text: string, kept: readonly string[] = []): string {
  const line = oneLine(text, longestText);
  const numbers = kept.filter((ref) => /^#\d+$/.test(ref)).join("|");
  const parts = numbers === "" ? [line] : line.split(new RegExp(`(?<![\\w/])(${numbers})(?!\\d)`));
  const escaped = parts.map((part, index) => (index % 2 === 1 ? part : escapePart(part))).join("");
  // At the beginning of a line, these begin a list, a quotation, a heading or a table.
  return escaped.replace(/^[-+=:]/, "\\$&").replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

function escapePart(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>|~&$]/g, "\\$&")
    .replaceAll(/@/g, `${invisible}@${invisible}`)
    .replaceAll(/#|:(?=\/\/)|www(?=\.)|\bgh-(?=\d)/gi, `$&${invisible}`);
}

/** Foreign text as code: for names. A table's bars would end its cell, there too. */
export function renderCode(text: string): string {
  const line = oneLine(text, longestCode).replaceAll("|", "¦");
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = runs.length > 0 ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A link to a foreign address, where that is one of the web; else only its text, which is Markdown already. */
export function renderLink(text: string, address: string | null): string {
  const url = address !== null && URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return text;
  return `[${text}](${url.href.replaceAll(/[^\w.~:/?#@!$&+,;=%-]/g, percentEncoded)})`;
}

/** Calls somebody, where that is the name of a person on the code host. */
export function renderMention(login: string): string {
  return isPerson.test(login) ? `@${login}` : renderLogin(login);
}

/** Names somebody without calling them. */
export function renderLogin(login: string): string {
  return isPerson.test(login.replace(/\[bot\]$/, "")) ? login : escapeMarkdown(login);
}

const isPerson = /^[a-z\d][\w-]{0,99}$/i;

/** Text without what would end its line, or turn its direction, and not at any length. */
export function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ").trim();
  if (line === "") return "?";
  const letters = [...line];
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join("")}…`;
}

function percentEncoded(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
}
