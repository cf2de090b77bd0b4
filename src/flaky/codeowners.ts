/** A CODEOWNERS file, parsed as GitHub does. */
export interface Codeowners {
  readonly rules: readonly OwnerRule[];
  /** The lines that are skipped, as GitHub does. */
  readonly issues: readonly CodeownersIssue[];
}

interface OwnerRule {
  readonly line: number;
  readonly pattern: RegExp;
  /** `@user`, `@org/team` or an e-mail address; empty = the file has no owner, even if an earlier rule names one. */
  readonly owners: readonly string[];
}

export interface CodeownersIssue {
  readonly code: "FILE_TOO_LARGE" | "PATTERN_NOT_SUPPORTED" | "OWNER_INVALID";
  /** From 1; 0 = the whole file. */
  readonly line: number;
  readonly message: string;
}

/** The paths at which GitHub looks for the file, on the base branch. The first that exists counts. */
export const codeownersPaths = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"] as const;

/** In bytes. */
const longestFile = 3 * 1024 * 1024;

/**
 * Parses a CODEOWNERS file; never throws. A line that GitHub does not understand is skipped and added to the issues. Source:
 * GitHub, "About code owners".
 */
export function parseCodeowners(text: string): Codeowners {
  if (text.length >= longestFile) {
    const message = "GitHub reads no CODEOWNERS of 3 MB or more: make it shorter with wildcards";
    return { rules: [], issues: [{ code: "FILE_TOO_LARGE", line: 0, message }] };
  }
  const rules: OwnerRule[] = [];
  const issues: CodeownersIssue[] = [];
  for (const [index, content] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const [written, ...owners] = wordsOf(content);
    if (written === undefined) continue;
    const line = index + 1;
    const pattern = compileOwnerPattern(written);
    const invalid = owners.find((owner) => !isOwner(owner));
    if (!pattern) issues.push(unsupported(line, written));
    else if (invalid !== undefined) issues.push(invalidOwner(line, invalid));
    else rules.push({ line, pattern, owners });
  }
  return { rules, issues };
}

/** The owners of an unknown file: those of the last rule that matches every file. Null = there is no such rule. */
export function defaultOwnersOf(codeowners: Codeowners): readonly string[] | null {
  return ownersOf(codeowners, anyPath);
}

/** A path that no rule matches by name. */
const anyPath = "\0/\0/\0";

/** The owners of a file, by its path relative to the repository's root: those of the last rule that matches. Null = none matches. */
export function ownersOf({ rules }: Codeowners, path: string): readonly string[] | null {
  return rules.findLast(({ pattern }) => pattern.test(path))?.owners ?? null;
}

/** The words of a line up to its comment; a backslash before a space makes it part of the word. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word] of line.matchAll(/(?:\\.|[^\s\\]|\\$)+/g)) {
    if (word.startsWith("#")) break;
    words.push(word);
  }
  return words;
}

function isOwner(word: string): boolean {
  return (
    /^@[a-z\d](?:[a-z\d_-]*[a-z\d_])?(?:\/[a-z\d_.-]+)?$/i.test(word) ||
    /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(word)
  );
}

function unsupported(line: number, pattern: string): CodeownersIssue {
  const message = `line ${line} is skipped: GitHub supports no "!", "[ ]" or "\\#" in CODEOWNERS, as in ${pattern}`;
  return { code: "PATTERN_NOT_SUPPORTED", line, message };
}

function invalidOwner(line: number, owner: string): CodeownersIssue {
  const message = `line ${line} is skipped: ${owner} is no @user, @org/team or e-mail address`;
  return { code: "OWNER_INVALID", line, message };
}

/**
 * A pattern of CODEOWNERS as a regular expression over paths relative to the root, without a leading slash; null = GitHub does not support
 * it. The syntax is that of gitignore with these exceptions: it is case-sensitive, lacks `!`, `[ ]` and `\#`, and `docs/*` matches one
 * level only. Sources: GitHub, "About code owners", "CODEOWNERS syntax"; gitignore(5), "Pattern format".
 */
export function compileOwnerPattern(written: string): RegExp | null {
  if (/^!|^\\#|[[\]]/.test(written)) return null;
  const segments = written.split("/").filter((segment) => segment !== "");
  if (segments.length === 0) return null;
  const isAnchored = written.startsWith("/") || segments.length > 1;
  if (!isAnchored) segments.unshift("**");
  if (written.endsWith("/")) segments.push("**");
  const places = segments.filter((segment, at) => segment !== "**" || segments[at - 1] !== "**");
  return new RegExp(`^${places.map(compileSegment).join("")}$`, "s");
}

function compileSegment(segment: string, at: number, places: readonly string[]): string {
  const isLast = at === places.length - 1;
  if (segment === "**" && at === 0) return isLast ? ".+" : "(?:.+/)?";
  if (segment === "**") return isLast ? "/.+" : "(?:/.+)?";
  // A leading `**` already includes the slash.
  const slash = at === 0 || (at === 1 && places[0] === "**") ? "" : "/";
  if (segment === "*") return `${slash}[^/]+`;
  return `${slash}${compileName(segment)}${isLast ? "(?:/.*)?" : ""}`;
}

/** Several stars in a row count as one, because each further star would multiply the time to reject a long name. */
function compileName(segment: string): string {
  return segment.replaceAll(
    /\\(.)|(\*+)|(\?)|[^\w]/gsu,
    (all, escaped?: string, stars?: string, mark?: string) => {
      if (stars) return "[^/]*";
      if (mark) return "[^/]";
      return (escaped ?? all).replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
    },
  );
}
