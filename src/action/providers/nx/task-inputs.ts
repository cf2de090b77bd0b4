import { posix } from "node:path";

/**
 * The targets of a project, as `nx graph` shows them. Only fields that may refer to files or projects outside of the project are
 * read.
 */
export type NxTargets = Readonly<
  Record<string, { readonly inputs?: readonly unknown[]; readonly dependsOn?: readonly unknown[] }>
>;

/** Globs of the form `{workspaceRoot}/…` in a value, relative to the repository's root. */
export function workspaceGlobs(value: unknown, prefix: string): string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return [...text.matchAll(/"\{workspaceRoot\}\/([^"]+)"/g)].map(([, glob = ""]) =>
    posix.join(prefix, glob.replaceAll(/\{project(Name|Root)\}/g, "**")),
  );
}

/** Projects that a project's inputs or tasks depend on, although its code does not. */
export function neededProjects(targets: NxTargets = {}, all: readonly string[]): readonly string[] {
  const named = Object.values(targets)
    .flatMap(({ inputs = [], dependsOn = [] }) => [...inputs, ...dependsOn])
    .flatMap((item) => (Object(item) as { projects?: string | readonly string[] }).projects ?? [])
    .filter(
      (name) => name !== "self" && name !== "dependencies" && name !== "{self}" && name !== "{dependencies}",
    );
  // Patterns and tags may mean any project.
  return named.every((name) => all.includes(name)) ? named : all;
}
