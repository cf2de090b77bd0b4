import { ghost } from "../engine/model/names.ts";

/**
 * Renders text by others so that GitHub's Markdown shows it literally, without links, mentions, references, HTML or blocks. The syntax of
 * Markdown is escaped. GitHub finds mentions, references and addresses in the rendered text, escaped or not, so an invisible space is put
 * inside them.
 */

const invisible = "\u200b";
const longestText = 500;
const longestCode = 300;

/** Escapes text by others within a line. References in `kept`, such as `#12`, stay references. */
export function escapeMarkdown(text: string, kept: readonly string[] = []): string {
  const line = oneLine(text, longestText);
  const numbers = kept.filter((ref) => /^#\d+$/.test(ref)).join("|");
  const parts = numbers === "" ? [line] : line.split(new RegExp(`(?<![\\w/])(${numbers})(?!\\d)`));
  const escaped = parts.map((part, index) => (index % 2 === 1 ? part : escapePart(part))).join("");
  // At the beginning of a line, these characters begin a list, a quotation, a heading or a table.
  return escaped.replace(/^[-+=:]/, "\\$&").replace(/^(\d{1,9})([.)])/, "$1\\$2");
}

function escapePart(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>|~&$]/g, "\\$&")
    .replaceAll(/@/g, `${invisible}@${invisible}`)
    .replaceAll(/#|:(?=\/\/)|www(?=\.)|\bgh-(?=\d)/gi, `$&${invisible}`);
}

/** Renders names by others as code. A bar is replaced, because even in code it would end a table's cell. */
export function renderCode(text: string): string {
  const line = oneLine(text, longestCode).replaceAll("|", "¦");
  const runs = [...line.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(0, ...runs) + 1);
  const pad = runs.length > 0 ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Renders a link to a web address that others supply. For any other address, returns only the text, which is Markdown already. */
export function renderLink(text: string, address: string | null): string {
  const url = address !== null && URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return text;
  return `[${text}](${url.href.replaceAll(/[^\w.~:/?#@!$&+,;=%-]/g, percentEncoded)})`;
}

/** Mentions a person of the code host. Any other name is only shown. */
export function renderMention(login: string): string {
  return isPerson.test(login) && login !== ghost ? `@${login}` : renderLogin(login);
}

/** Renders a login without a mention. */
export function renderLogin(login: string): string {
  return isPerson.test(login.replace(/\[bot\]$/, "")) ? login : escapeMarkdown(login);
}

const isPerson = /^[a-z\d][\w-]{0,99}$/i;

/** Removes characters that would end the line or change its direction, and limits the length. */
export function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, " ").trim();
  if (line === "") return "?";
  const letters = [...line];
  return letters.length <= longest ? line : `${letters.slice(0, longest - 1).join("")}…`;
}

function percentEncoded(character: string): string {
  return `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}`;
}
