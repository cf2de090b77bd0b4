import { compileGlob } from "./glob.ts";

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
