import { posix } from "node:path";

/** Targets of a project as `nx graph` shows them. Only what may lead out of the project is looked for. */
export type NxTargets = Readonly<
  Record<string, { readonly inputs?: readonly unknown[]; readonly dependsOn?: readonly unknown[] }>
>;

/** Globs of `{workspaceRoot}/…` in a value, from the repository's root. */
export function workspaceGlobs(value: unknown, prefix: string): string[] {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return [...text.matchAll(/"\{workspaceRoot\}\/([^"]+)"/g)].map(([, glob = ""]) =>
    posix.join(prefix, glob.replaceAll(/\{project(Name|Root)\}/g, "**")),
  );
}

/** Projects whose inputs or tasks are those of a project, though its code does not depend on them. */
export function neededProjects(targets: NxTargets = {}, all: readonly string[]): readonly string[] {
  const named = Object.values(targets)
    .flatMap(({ inputs = [], dependsOn = [] }) => [...inputs, ...dependsOn])
    .flatMap((item) => (Object(item) as { projects?: string | readonly string[] }).projects ?? [])
    .filter(
      (name) => name !== "self" && name !== "dependencies" && name !== "{self}" && name !== "{dependencies}",
    );
  // Patterns and tags may mean any.
  return named.every((name) => all.includes(name)) ? named : all;
}
