import { compileGlob } from "./glob.ts";

/** Globs between commas, except commas within braces. */
export function splitGlobs(text: string): string[] {
  const globs = text.match(/(?:\{[^}]*\}|[^,])+/g) ?? [];
  return globs.map((glob) => glob.trim()).filter((glob) => glob !== "");
}

/** What is wrong with a glob; null when it can be read. */
export function globProblem(glob: string): string | null {
  const problem = `has the glob "${glob}", which cannot be read; use *, **, ?, [abc] and {a,b}`;
  // Of other tools, whose users would not see that they match nothing here.
  if (/[?*+@!]\(|\{[^}]*\.\.[^}]*\}/.test(glob)) return problem;
  try {
    compileGlob(glob);
    return null;
  } catch {
    return problem;
  }
}
