/** The refs that a ruleset applies to: full names, with the wildcards of Ruby's `File.fnmatch`. */
export interface RefNameCondition {
  include: string[];
  exclude: string[];
}

export function matchesRefName(
  { include, exclude }: RefNameCondition,
  target: { ref: string; defaultBranch: string },
): boolean {
  const matches = (pattern: string) => matchesPattern(pattern, target);
  return include.some(matches) && !exclude.some(matches);
}

function matchesPattern(
  pattern: string,
  { ref, defaultBranch }: { ref: string; defaultBranch: string },
): boolean {
  if (pattern === "~ALL") return true;
  if (pattern === "~DEFAULT_BRANCH") return ref === `refs/heads/${defaultBranch}`;
  return toRegExp(pattern.startsWith("refs/") ? pattern : `refs/heads/${pattern}`).test(ref);
}

/**
 * With `FNM_PATHNAME`: a star does not match a slash, and only `**` before a slash matches directories. So `a/**` does not match
 * `a/b/c`, but `a/**` followed by a slash and a star does.
 * https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/creating-rulesets-for-a-repository#using-fnmatch-syntax
 */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*+|\?|[.+^${}()|\\]/g, (token) => {
    if (token === "**/") return "(?:[^/]+/)*";
    if (token.startsWith("*")) return "[^/]*";
    return token === "?" ? "[^/]" : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}
