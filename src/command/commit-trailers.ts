/** A commit of a pull request. */
export interface AuthoredCommit {
  readonly message: string;
  readonly authorName: string;
  readonly authorEmail: string;
  /** The author's account; null when unknown. */
  readonly authorLogin: string | null;
}

const trailer = /^(Co-authored-by|Signed-off-by):\s*(.+<[^<>\s]+>)\s*$/i;

/**
 * Returns the trailers that a squash keeps, like GitHub's own message: `Co-authored-by` for each author except the pull
 * request's, and the `Co-authored-by` and `Signed-off-by` of the commits. Each person appears once per kind.
 * https://github.blog/changelog/2019-12-19-improved-attribution-when-squashing-commits/
 */
export function squashTrailers(commits: readonly AuthoredCommit[], author: string): string[] {
  const found = new Map<string, string>();
  const add = (kind: string, person: string) => {
    const key = `${kind} ${/<([^<>]+)>/.exec(person)?.[1]?.toLowerCase()}`;
    if (!found.has(key)) found.set(key, `${kind}: ${person}`);
  };
  for (const { authorName, authorEmail, authorLogin } of commits) {
    const isTheirs = authorLogin === author || (authorLogin === null && authorName === author);
    if (!isTheirs) add("Co-authored-by", `${authorName} <${authorEmail}>`);
  }
  for (const { message } of commits) {
    for (const line of message.split(/\r?\n/).slice(1)) {
      const [, kind = "", person = ""] = trailer.exec(line) ?? [];
      if (/^co/i.test(kind)) add("Co-authored-by", person);
      else if (kind !== "") add("Signed-off-by", person);
    }
  }
  return [...found.values()].toSorted((a, b) => Number(/^S/.test(a)) - Number(/^S/.test(b)));
}
