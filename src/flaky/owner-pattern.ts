/**
 * A pattern of CODEOWNERS as a regular expression over paths relative to the root, without a leading slash; null = GitHub does not
 * support it. The syntax is gitignore's, except that it is case-sensitive, lacks `!`, `[ ]` and `\#`, and that `docs/*` matches one
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

/** Several stars in a row count as one: each further star would multiply the ways in which a long name can fail to match. */
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
