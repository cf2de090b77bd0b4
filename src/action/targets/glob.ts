const tokens = /\\.|(?<=^|\/)\*\*\/|\*+|\[[^\]]*\]|./gsu;

/**
 * A glob over paths with slashes, as a regular expression: `*` and `?` stay within a folder, `**` crosses folders as it does
 * in a workflow's `paths`, `[abc]`, `[!abc]` and `{a,b}` are as in a shell, a backslash takes the next character literally.
 * Names that begin with a dot are like any other; a glob that ends with a slash matches everything below.
 *
 * `path.matchesGlob` reads the glob anew for every path, which a million paths would feel.
 *
 * @throws SyntaxError when brackets or braces do not match.
 */
export function compileGlob(glob: string): RegExp {
  let depth = 0;
  let source = "";
  for (const [token] of glob
    .replace(/^\.?\//, "")
    .replace(/\/$/, "/**")
    .matchAll(tokens)) {
    if (token === "{") depth += 1;
    if (token === "}") depth -= 1;
    if (depth < 0 || token === "[") throw new SyntaxError(`unmatched ${token}`);
    source += token === "," && depth > 0 ? "|" : expression(token);
  }
  if (depth > 0) throw new SyntaxError("unmatched {");
  // What follows anything need not be read to its end.
  return new RegExp(source.endsWith(".*") ? `^${source.slice(0, -2)}` : `^${source}$`, "su");
}

/** The glob that matches one path, whatever characters it has. */
export function globOf(path: string): string {
  return path.replace(/^\.\//, "").replaceAll(/[\\*?[\]{},]/g, "\\$&");
}

function expression(token: string): string {
  switch (token[0]) {
    case "*":
      if (token.endsWith("/")) return "(?:.*/)?";
      return token === "*" ? "[^/]*" : ".*";
    case "?":
      return "[^/]";
    case "[":
      return bracket(token.slice(1, -1));
    case "{":
      return "(?:";
    case "}":
      return ")";
    case "\\":
      return literal(token.slice(1));
    default:
      return literal(token);
  }
}

function bracket(inside: string): string {
  const isNegated = /^[!^]/.test(inside);
  const characters = (isNegated ? inside.slice(1) : inside).replaceAll(/[\\[\]^]/g, "\\$&");
  if (characters === "") throw new SyntaxError("empty brackets");
  return isNegated ? `[^/${characters}]` : `[${characters}]`;
}

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, "\\$&");
}
