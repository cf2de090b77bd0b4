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
  // A trailing `.*` matches anything, so the end of the path need not be read.
  return new RegExp(source.endsWith(".*") ? `^${source.slice(0, -2)}` : `^${source}$`, "su");
}

/** The glob that matches exactly one path, even if the path contains special characters. */
export function globOf(path: string): string {
  return path.replace(/^\.\//, "").replaceAll(/[\\*?[\]{},!]/g, "\\$&");
}

/** A glob of a build tool, in which a leading `!` does not exclude. */
export function withoutExclusion(glob: string): string {
  return glob.replace(/^!/, "\\!");
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

export interface ListedGlob {
  readonly pattern: RegExp;
  /** Whether it begins with `!`. */
  readonly isExclusion: boolean;
  /** The literal beginning of the glob. Every path that matches begins with it. */
  readonly prefix: string;
}

/** @throws SyntaxError */
export function compileGlobs(globs: readonly string[]): ListedGlob[] {
  return globs.map((listed) => {
    const glob = listed.replace(/^!/, "");
    const prefix = glob.replace(/^\.?\//, "").replace(/[\\*?[{].*$/su, "");
    return { pattern: compileGlob(glob), isExclusion: glob !== listed, prefix };
  });
}

/** Whether a list includes a path: the last glob that matches decides, as in a workflow's `paths`. */
export function includes(globs: readonly ListedGlob[], path: string): boolean {
  return globs.findLast(({ pattern }) => pattern.test(path))?.isExclusion === false;
}

/** Splits globs at commas, except commas within braces. */
export function splitGlobs(text: string): string[] {
  const globs = text.match(/(?:\{[^}]*\}|[^,])+/g) ?? [];
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== "");
}

export function globProblems(globs: readonly string[]): string[] {
  if (globs.length > 0 && globs.every((glob) => glob.startsWith("!")))
    return [`has only globs that exclude (${globs.join(", ")}); begin with one that includes, such as **`];
  return globs.flatMap((glob) => globProblem(glob) ?? []);
}

/** The problem with a glob; null when it is valid. */
export function globProblem(glob: string): string | null {
  const problem = `has the glob "${glob}", which is not valid; use *, **, ?, [abc] and {a,b}`;
  // Syntax of other tools is refused, because users would not notice that it matches nothing here.
  if (/[?*+@!]\(|\{[^}]*\.\.[^}]*\}/.test(glob)) return problem;
  try {
    compileGlobs([glob]);
    return null;
  } catch {
    return problem;
  }
}
