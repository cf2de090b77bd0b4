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
    const isTheirs = authorLogin === author || (authorLogin === null && authorName === author);
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

/** What two trailers of the same person have in common: kind and address. Without an address, the whole line. */
function keyOf(line: string): string {
  const [, kind = "", address = ""] = /^([A-Za-z-]+):.*<([^<>]+)>\s*$/.exec(line) ?? [];
  return (address === "" ? line : `${kind} ${address}`).toLowerCase();
}

const anyTrailer = /^[A-Za-z][A-Za-z0-9-]*: \S/;

/**
 * Adds trailers to a message. They form one block at its end with those that it has, as `git interpret-trailers --parse` reads them.
 *
 * @param maxLength of the result, in UTF-16 code units; what stands above the trailers is shortened
 */
export function withTrailers(message: string, trailers: readonly string[], maxLength: number): string {
  // Git takes such a line, which Markdown shows as a rule, for the end of the message.
  const text = trailers.length === 0 ? message : message.replaceAll(/^---(?=\s|$)/gm, "***");
  const paragraphs = text.trimEnd().split(/\n[ \t]*\n/);
  const last = paragraphs.at(-1)?.trim().split("\n") ?? [];
  const own = last.every((line) => anyTrailer.test(line)) ? last : [];
  const known = new Set(own.map(keyOf));
  const block = [...own, ...trailers.filter((line) => !known.has(keyOf(line)))];
  if (block.length === 0) return shortened(text, maxLength);
  const above = own.length === 0 ? text : paragraphs.slice(0, -1).join("\n\n");
  const joined = block.join("\n");
  const kept = shortened(above.trimEnd(), Math.max(0, maxLength - joined.length - 2));
  return kept === "" ? joined : `${kept}\n\n${joined}`;
}
