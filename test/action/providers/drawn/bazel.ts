import { posix } from "node:path";
import type { Model, ModelPackage, Places } from "./model.ts";
import type { Files } from "./truth.ts";

const ways = ["rule", "generated file"] as const;

export const bazelPlaces: Places = {
  folders: ["lib", "app", "app/inner", "tools/deep", "tools", "web"],
  // These folders would have no BUILD file: their files belong to the enclosing package if it names them.
  excluded: [],
  files: ["main.txt", "more.txt", "inner.d/deep.txt", "README.md"],
  loose: ["Makefile", "requirements.txt", "db/schema.sql", "defs.bzl", "repositories.bzl"],
  readable: ["defs.bzl", "lib/main.txt", "app/inner/more.txt"],
  untold: ["Makefile", "requirements.txt", "db/schema.sql", "repositories.bzl"],
  sharedAnyway: ["lib/README.md", "web/README.md"],
  ways: ways.length,
  isNamedByFolder: true,
  hasRoot: true,
  nameOf: (folder) => `//${folder}:all_of_it`,
};

/**
 * Each package has one rule. Its sources are all text files of the package, the files that the package reads,
 * and the rules that it needs.
 */
export function renderBazel({ packages, loose }: Model): Files {
  const files: Record<string, Files[string]> = {
    WORKSPACE: 'load("//:repositories.bzl", "repositories")\n\nrepositories()\n',
  };
  for (const [path, version] of Object.entries(loose)) files[path] = `# ${version}\n`;
  files["repositories.bzl"] = `def repositories():\n    pass # ${loose["repositories.bzl"]}\n`;
  files["defs.bzl"] = `def checked(**rest):\n    native.genrule(message = "${loose["defs.bzl"]}", **rest)\n`;
  files.BUILD = "";
  for (const { folder, files: own } of packages) {
    for (const [file, version] of Object.entries(own)) files[posix.join(folder, file)] = `${version}\n`;
  }
  for (const one of packages) {
    const exported = Object.keys(one.files).filter((file) => file.endsWith(".txt"));
    const sources = [
      ...exported,
      ...one.reads
        .filter((path) => path !== "defs.bzl" && files[path] !== undefined)
        .map((path) => labelOf(path, packages)),
    ];
    const needs = Object.entries(one.needs).map(([id, way]) => {
      const needed = packages.find((other) => other.id === Number(id));
      if (needed === undefined) return `//gone${id}:all_of_it`;
      return ways[way] === "rule" ? needed.name : needed.name.replace("all_of_it", "out.txt");
    });
    const load = one.reads.includes("defs.bzl") ? 'load("//:defs.bzl", "checked")\n\n' : "";
    const rule = load === "" ? "genrule" : "checked";
    files[posix.join(one.folder, "BUILD")] =
      `${load}exports_files(${JSON.stringify(exported)})\n\n${rule}(name = "all_of_it", srcs = ${JSON.stringify([...sources, ...needs])}, outs = ["out.txt"], cmd = "${["cat $(SRCS)", ...one.secretly].join(" ")} > $@")\n`;
  }
  return files;
}

function labelOf(path: string, packages: readonly ModelPackage[]): string {
  const [owner] = packages
    .filter(({ folder }) => folder === "" || path.startsWith(`${folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length);
  return owner === undefined ? path : `//${owner.folder}:${posix.relative(owner.folder, path)}`;
}
