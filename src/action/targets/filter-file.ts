import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StepError } from "../step-error.ts";
import { globProblem } from "./glob-list.ts";
import type { PathRule } from "./path-rules.ts";

/**
 * Reads filters in the format of dorny/paths-filter: YAML with a list of globs for each name. A list may contain lists.
 *
 * @throws StepError for syntax that would have another meaning here: missing a file silently is worse than a failed step
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
