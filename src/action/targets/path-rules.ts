import { globProblem, splitGlobs } from "./glob-list.ts";

/** The name that stands for no target: its files impact nothing. */
export const noTarget = "none";

/** The globs of the files that belong to a target. */
export interface PathRule {
  readonly target: string;
  readonly globs: readonly string[];
}

/** Reads `name: glob, glob` lines. A `#` begins a comment; a name may occur twice. */
export function parsePathRules(text: string): { rules: PathRule[]; problems: string[] } {
  const rules: PathRule[] = [];
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const content = line.replace(/(^|\s)#.*$/, "").trim();
    if (content === "") continue;
    const rule = parseRule(content);
    if (typeof rule === "string") problems.push(`line ${index + 1} ${rule}`);
    else rules.push(rule);
  }
  return { rules, problems };
}

/** Returns the rule, or the problem with it. */
function parseRule(line: string): PathRule | string {
  // Split at the last colon before a space: names of Bazel's targets contain colons.
  const [, target = "", list = ""] = /^(.+):(?:\s+(.*))?$/.exec(line) ?? [];
  const globs = splitGlobs(list);
  if (target === "" || globs.length === 0) return `is "${line}"; write \`name: glob, glob\``;
  return globs.map(globProblem).find((problem) => problem !== null) ?? { target: target.trim(), globs };
}
