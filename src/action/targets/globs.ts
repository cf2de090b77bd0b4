const tokens = /\\.|(?<=^|\/)\*\*\/|\*+|\[[^\]]*\]|./gsu;

/**
 * A glob over paths with slashes, as a regular expression: `*` and `?` stay within a folder, `**` crosses folders as it does in a
 * workflow's `paths`, `[abc]`, `[!abc]` and `{a,b}` are as in a shell, a backslash takes the next character literally. Names that
 * begin with a dot are not special. A glob that ends with a slash matches everything below.
 *
 * `path.matchesGlob` would parse the glob again for every path, which is slow for a million paths.
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
  // A trailing `.*` matches anything, so the rest of the path need not be read.
  return new RegExp(source.endsWith(".*") ? `^${source.slice(0, -2)}` : `^${source}$`, "su");
}

/** The glob that matches exactly one path, even if the path contains special characters. */
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

/** Splits globs at commas, except commas within braces. */
export function splitGlobs(text: string): string[] {
  const globs = text.match(/(?:\{[^}]*\}|[^,])+/g) ?? [];
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== "");
}

/** The problem with a glob; null when it is valid. */
export function globProblem(glob: string): string | null {
  const problem = `has the glob "${glob}", which is not valid; use *, **, ?, [abc] and {a,b}`;
  // Syntax of other tools: their users would not notice that it matches nothing here.
  if (/[?*+@!]\(|\{[^}]*\.\.[^}]*\}/.test(glob)) return problem;
  try {
    compileGlob(glob);
    return null;
  } catch {
    return problem;
  }
}
