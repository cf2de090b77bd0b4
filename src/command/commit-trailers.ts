import { isSameName } from "../engine/model/names.ts";
import { shortened } from "./commit-text.ts";

/** A commit of a pull request. */
interface AuthoredCommit {
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /** The author's account; null when unknown. */
  readonly authorLogin: string | null;
}

const credit = /^(Co-authored-by|Signed-off-by):\s*(.+<[^<>\s]+>)\s*$/i;

/**
 * Returns the trailers that a squash keeps, like GitHub's own message: `Co-authored-by` for each author except the pull
 * request's, and the `Co-authored-by` and `Signed-off-by` of the commits. Each person appears once per kind.
 * https://github.blog/changelog/2019-12-19-improved-attribution-when-squashing-commits/
 */
export function squashTrailers(commits: readonly AuthoredCommit[], author: string): string[] {
  const found = new Map<string, string>();
  const add = (kind: string, person: string) => {
    const line = `${kind}: ${person}`;
    if (!found.has(keyOf(line))) found.set(keyOf(line), line);
  };
  for (const { authorName, authorEmail, authorLogin } of commits) {
    const isTheirs = isSameName(authorLogin, author) || (authorLogin === null && authorName === author);
    if (!isTheirs) add("Co-authored-by", `${authorName} <${authorEmail}>`);
  }
  for (const { message } of commits) {
    for (const line of message.split(/\r?\n/).slice(1)) {
      const [, kind = "", person = ""] = credit.exec(line) ?? [];
      if (/^co/i.test(kind)) add("Co-authored-by", person);
      else if (kind !== "") add("Signed-off-by", person);
    }
  }
  return [...found.values()].toSorted((a, b) => Number(/^S/.test(a)) - Number(/^S/.test(b)));
}

/** Identifies trailers of the same person: kind and address, or without an address, the whole line. */
function keyOf(line: string): string {
  const [, kind = "", address = ""] = /^([A-Za-z-]+):.*<([^<>]+)>\s*$/.exec(line) ?? [];
  return (address === "" ? line : `${kind} ${address}`).toLowerCase();
}

const anyTrailer = /^[A-Za-z][A-Za-z0-9-]*: \S/;

/**
 * Separates a description from its trailers, because a template may continue below the description. The trailers are the paragraphs of
 * trailers that credit people, and the last paragraph if it consists of other trailers.
 */
export function splitTrailers(description: string): { readonly text: string; readonly trailers: string[] } {
  const paragraphs = description.replaceAll("\r\n", "\n").split(/\n[ \t]*\n/);
  const trailers: string[] = [];
  const text = paragraphs.filter((paragraph, index) => {
    const lines = paragraph.trim().split("\n");
    const isEnd = index > 0 && index === paragraphs.length - 1;
    // Prose may also begin like a trailer: `Note: it is slow`.
    const isCertain = (line: string) => credit.test(line) || (isEnd && /^\w+-/.test(line));
    const isBlock = lines.every((line) => anyTrailer.test(line)) && lines.some(isCertain);
    if (isBlock) trailers.push(...lines);
    return !isBlock;
  });
  return { text: text.join("\n\n"), trailers };
}

/**
 * Adds trailers to a message. Together with existing trailers, they form one block at its end, as `git interpret-trailers --parse` reads
 * them.
 *
 * @param maxLength of the result, in UTF-16 code units; only the text above the trailers is shortened
 */
export function withTrailers(message: string, trailers: readonly string[], maxLength: number): string {
  const paragraphs = message.trimEnd().split(/\n[ \t]*\n/);
  const last = paragraphs.at(-1)?.trim().split("\n") ?? [];
  const own = last.every((line) => anyTrailer.test(line)) ? last : [];
  const block = new Map<string, string>();
  for (const line of [...own, ...trailers]) if (!block.has(keyOf(line))) block.set(keyOf(line), line);
  if (block.size === 0) return shortened(message, maxLength);
  const above = own.length === 0 ? message : paragraphs.slice(0, -1).join("\n\n");
  const joined = [...block.values()].join("\n");
  // Git treats such a line, which Markdown shows as a rule, as the end of the message.
  const text = above.trimEnd().replaceAll(/^---(?=\s|$)/gm, "***");
  const kept = shortened(text, Math.max(0, maxLength - joined.length - 2));
  return kept === "" ? joined : `${kept}\n\n${joined}`;
}
