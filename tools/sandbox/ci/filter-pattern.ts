/**
 * Whether the patterns of a filter such as `branches` or `paths` include a name: the last pattern that matches decides, and one that
 * begins with `!` excludes.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
 */
export function includes(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => toRegExp(pattern.replace(/^!/, "")).test(name));
  return last !== undefined && !last.startsWith("!");
}

/**
 * `*` is any text without a slash, `**` any text, `?` and `+` repeat the character before them zero or one time, and at least once,
 * `[]` is one of the characters named, `\` takes the next character literally. `**` with a slash behind it may also be nothing.
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
