import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StepError } from "../step.ts";
import { compileGlobs, globProblem, globProblems, includes, type ListedGlob, splitGlobs } from "./globs.ts";

/** The name that stands for no target: its files impact nothing. */
export const noTarget = "none";

/** The globs of the files that belong to a target; a leading `!` excludes. */
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
  return globProblems(globs)[0] ?? { target: target.trim(), globs };
}

/**
 * Reads filters in the format of dorny/paths-filter: YAML with a list of globs for each name. A list may contain lists.
 *
 * @throws StepError for syntax with another meaning here, because missing a file silently is worse than a failed step
 */
export async function readFilterFile(directory: string, path: string): Promise<PathRule[]> {
  const text = await readFile(join(directory, path), "utf8").catch((error: unknown) => {
    throw new StepError(
      "The filters cannot be read",
      `${error}. Give the path from the top of the checkout.`,
    );
  });
  const { parse } = await import("yaml");
  const filters: unknown = parse(text);
  if (typeof filters !== "object" || filters === null || Array.isArray(filters)) {
    throw new StepError(
      "The filters cannot be read",
      `${path} has no names with globs. Write \`name: [glob, glob]\`.`,
    );
  }
  return Object.entries(filters).map(([target, globs]) => ({
    target,
    globs: globsIn(globs, `${target} in ${path}`),
  }));
}

function globsIn(value: unknown, where: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => globsIn(item, where));
  if (typeof value !== "string") {
    throw new StepError(
      "The filters cannot be read",
      `${where} contains something other than globs. Types of change, such as \`added\`, are not supported.`,
    );
  }
  const problem = value.startsWith("!")
    ? `has the glob "${value}", which excludes files; name those files as \`none\``
    : globProblem(value);
  if (problem !== null) throw new StepError("The filters cannot be read", `${where} ${problem}.`);
  return [value];
}

interface Matcher {
  readonly target: string;
  readonly globs: readonly ListedGlob[];
}

/**
 * Finds the targets that rules name for paths. Fast for paths in git's order, because it tries only the globs that can match in the current
 * folder.
 */
export class PathMatcher {
  readonly #matchers: readonly Matcher[];
  #folder: string | null = null;
  #candidates: readonly Matcher[] = [];

  constructor(rules: readonly PathRule[]) {
    this.#matchers = rules.map(({ target, globs }) => ({ target, globs: compileGlobs(globs) }));
  }

  names(path: string): boolean {
    return this.#candidatesFor(path).some(({ globs }) => includes(globs, path));
  }

  /** Adds the targets of a path to the impacted ones. Returns whether any rule names the path. */
  addTargets(path: string, impacted: Set<string>): boolean {
    let isNamed = false;
    for (const { target, globs } of this.#candidatesFor(path)) {
      // Once the path is named, rules of targets that are impacted already can be skipped.
      if ((isNamed && impacted.has(target)) || !includes(globs, path)) continue;
      isNamed = true;
      impacted.add(target);
    }
    return isNamed;
  }

  #candidatesFor(path: string): readonly Matcher[] {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder === this.#folder) return this.#candidates;
    const canMatch = ({ prefix }: ListedGlob) => prefix.startsWith(folder) || folder.startsWith(prefix);
    this.#folder = folder;
    this.#candidates = this.#matchers.flatMap(({ target, globs }) => {
      const near = globs.filter(canMatch);
      return near.length === 0 ? [] : [{ target, globs: near }];
    });
    return this.#candidates;
  }
}
