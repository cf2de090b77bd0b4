import { json } from "../scenario.ts";
import type { Model, ModelPackage, Places } from "./model.ts";
import type { Files } from "./truth.ts";

/** The kinds of dependencies between packages of npm, Yarn and pnpm. */
const ways = ["name", "dev", "peer", "path", "inner path"] as const;
/** Task runners support one more kind. */
const taskWays = [...ways, "task"] as const;

export const nodePlaces: Places = {
  folders: [
    "packages/a",
    "packages/b",
    "packages/c",
    "packages/a/inner",
    "packages/b/deep/inner",
    "libs/d",
    "libs/e",
  ],
  excluded: ["packages/skipped", "vendor/own", "packages/c/vendor"],
  files: ["index.js", "src/main.js", "README.md", "test/fixture.json"],
  loose: [
    "package-lock.json",
    "Makefile",
    "proto/api.proto",
    "db/schema.sql",
    "packages/shared.json",
    "packages/a/shared.json",
    "docker/compose.yml",
  ],
  readable: [
    "Makefile",
    "db/schema.sql",
    "packages/c/README.md",
    "libs/d/index.js",
    "packages/a/inner/src/main.js",
  ],
  untold: [
    "package-lock.json",
    "Makefile",
    "proto/api.proto",
    "db/schema.sql",
    "packages/shared.json",
    "packages/a/shared.json",
    "docker/compose.yml",
    "packages/a/README.md",
    "packages/b/README.md",
    "packages/c/README.md",
  ],
  sharedAnyway: [],
  ways: ways.length,
  isNamedByFolder: false,
  hasRoot: false,
  nameOf: (folder, id) => `@acme/${folder.replaceAll("/", "-")}-${id}`,
};

/** A nested workspace of Yarn exists only while the enclosing package exists. */
export const yarnPlaces: Places = {
  ...nodePlaces,
  isMember: (folder, folders) =>
    (folder !== "packages/a/inner" || folders.includes("packages/a")) &&
    (folder !== "packages/b/deep/inner" || folders.includes("packages/b")),
};

export type NodeTool = "npm" | "yarn" | "pnpm";

/** Globs for npm and pnpm. They must also match the inner packages. */
const globs = ["packages/*", "packages/a/inner", "packages/b/deep/*", "libs/*", "!packages/skipped"];

export function renderNode(tool: NodeTool, { packages, loose }: Model, more: Files = {}): Files {
  const files: Record<string, Files[string]> = { ...more };
  for (const [path, version] of Object.entries(loose)) files[path] = `${version}\n`;
  if ("package-lock.json" in loose)
    files["package-lock.json"] = json({
      lockfileVersion: 3,
      packages: {},
      version: loose["package-lock.json"],
    });
  const added = packages
    .filter(({ folder, isListed }) => isListed && nodePlaces.excluded.includes(folder))
    .map(({ folder }) => folder);
  const withAdded = (list: readonly string[]) => [
    ...list.filter((glob) => !added.includes(glob.slice(1))),
    ...added,
  ];
  const root = { name: "widgets", private: true, packageManager: "npm@11.6.0" };
  if (tool === "pnpm") {
    files["package.json"] = json(root);
    files["pnpm-workspace.yaml"] = `packages:\n${withAdded(globs)
      .map((glob) => `  - "${glob}"\n`)
      .join("")}`;
  } else if (tool === "yarn") {
    // The enclosing packages declare Yarn's inner workspaces.
    files["package.json"] = json({
      ...root,
      workspaces: { packages: withAdded(["packages/*", "libs/*", "!packages/skipped"]) },
    });
    files["yarn.lock"] = "";
  } else {
    files["package.json"] = json({ ...root, workspaces: withAdded(globs) });
  }
  const showsReads = !("turbo.json" in more || "nx.json" in more);
  for (const one of packages) {
    for (const [file, version] of Object.entries(one.files)) files[`${one.folder}/${file}`] = `${version}\n`;
    files[`${one.folder}/package.json`] = json(manifest(one, packages));
    for (const [at, path] of showsReads || !one.isListed ? one.reads.entries() : []) {
      const up = "../".repeat(one.folder.split("/").length);
      files[`${one.folder}/link-${at}`] = { link: `${up}${path}` };
    }
  }
  return files;
}

function manifest(one: ModelPackage, packages: readonly ModelPackage[]): object {
  const kinds: Record<string, Record<string, string>> = {};
  for (const [id, way] of Object.entries(one.needs)) {
    const needed = packages.find((other) => other.id === Number(id));
    const add = (kind: string, range: string, name = needed?.name ?? `@acme/gone-${id}`) => {
      kinds[kind] = { ...kinds[kind], [name]: range };
    };
    const up = "../".repeat(one.folder.split("/").length);
    const isTask = taskWays[way] === "task" && one.isListed && needed?.isListed;
    if (isTask) continue;
    // A package that is not listed can only be needed by its path.
    const how = needed?.isListed === false && way !== 4 ? "path" : ways[way];
    if (how === "dev") add("devDependencies", "*");
    else if (how === "peer") add("peerDependencies", "*");
    else if (how === "path") add("dependencies", `file:${up}${needed?.folder ?? "gone"}`, `alias-${id}`);
    else if (how === "inner path")
      add("optionalDependencies", `link:${up}${needed?.folder ?? "gone"}/dist`, `alias-${id}`);
    else add("dependencies", "1.0.0");
  }
  const inner =
    one.folder === "packages/b"
      ? { workspaces: ["deep/*"] }
      : one.folder === "packages/a"
        ? { workspaces: ["inner"] }
        : {};
  return { name: one.name, version: "1.0.0", scripts: { build: "exit 0" }, ...kinds, ...inner };
}

export const taskPlaces: Places = { ...nodePlaces, ways: taskWays.length };

function tasksNeeded(one: ModelPackage, packages: readonly ModelPackage[]): ModelPackage[] {
  return packages.filter((other) => other.isListed && taskWays[one.needs[other.id] ?? 0] === "task");
}

/**
 * The files that packages read and their task dependencies are declared in turbo.json, either the package's
 * or the root's.
 */
export function renderTurborepo(model: Model): Files {
  const tasks: Record<string, object> = { build: { dependsOn: ["^build"] } };
  const own: Record<string, string> = {};
  for (const one of model.packages.filter(({ isListed }) => isListed)) {
    const up = "../".repeat(one.folder.split("/").length);
    const inputs = one.reads.map((path) => (one.id % 2 === 0 ? `$TURBO_ROOT$/${path}` : `${up}${path}`));
    const dependsOn = ["^build", ...tasksNeeded(one, model.packages).map(({ name }) => `${name}#build`)];
    const task = { dependsOn, ...(inputs.length > 0 ? { inputs: ["$TURBO_DEFAULT$", ...inputs] } : {}) };
    if (dependsOn.length === 1 && inputs.length === 0) continue;
    if (one.id % 3 === 0) own[`${one.folder}/turbo.json`] = json({ extends: ["//"], tasks: { build: task } });
    else tasks[`${one.name}#build`] = task;
  }
  return renderNode("npm", model, { "turbo.json": `// Tasks.\n${json({ tasks })}`, ...own });
}

/** The files that packages read and their task dependencies are declared in project.json. */
export function renderNx(model: Model): Files {
  const own: Record<string, string> = {};
  for (const one of model.packages.filter(({ isListed }) => isListed)) {
    const projects = tasksNeeded(one, model.packages).map(({ name }) => name);
    const inputs = ["{projectRoot}/**/*", ...one.reads.map((path) => `{workspaceRoot}/${path}`)];
    const dependsOn = projects.length > 0 ? [{ projects, target: "build" }] : [];
    const targets = { build: { executor: "nx:noop", inputs, dependsOn } };
    own[`${one.folder}/project.json`] = json({ name: one.name, targets });
  }
  return renderNode("npm", model, {
    "nx.json": json({ analytics: false }),
    ".gitignore": "node_modules\n.nx\n",
    ...own,
  });
}
