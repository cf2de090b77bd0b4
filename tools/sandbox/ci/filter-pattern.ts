/**
 * Whether the patterns of a filter such as `branches` or `paths` include a name. The last matching pattern decides. A pattern
 * that starts with `!` excludes.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
 */
export function includes(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => toRegExp(pattern.replace(/^!/, "")).test(name));
  return last !== undefined && !last.startsWith("!");
}

/**
 * `*` matches text without a slash, and `**` matches any text. `?` repeats the preceding character zero or one time, and `+` at
 * least once. `[]` matches one of the listed characters. `\` takes the next character literally. `**` followed by a slash may
 * also match nothing.
 */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|\\.|\[[^\]]+\]|[?+]|[^\w/-]/g, (token) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "**") return ".*";
    if (token === "*") return "[^/]*";
    if (token === "?" || token === "+" || token.startsWith("[")) return token;
    return token.startsWith("\\") ? RegExp.escape(token.slice(1)) : RegExp.escape(token);
  });
  return new RegExp(`^${source}$`);
}
