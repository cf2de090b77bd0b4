import { posix } from "node:path";
import type { Model, ModelPackage, Places } from "./model.ts";
import type { Files } from "./truth.ts";

const ways = [
  "dependencies",
  "dev-dependencies",
  "build-dependencies",
  "target.'cfg(windows)'.dependencies",
] as const;

export const cargoPlaces: Places = {
  folders: ["crates/a", "crates/b", "crates/c", "crates/a/inner", "crates/b/deep/inner", "tools/d"],
  excluded: ["vendor/own", "crates/c/vendor"],
  files: ["src/lib.rs", "src/deep/mod.rs", "tests/all.rs", "README.md"],
  loose: ["Cargo.lock", "Makefile", "proto/api.proto", "db/schema.sql", "crates/shared.rs"],
  readable: ["Makefile", "db/schema.sql", "crates/c/README.md", "tools/d/src/lib.rs"],
  untold: [
    "Cargo.lock",
    "Makefile",
    "proto/api.proto",
    "db/schema.sql",
    "crates/shared.rs",
    "crates/a/README.md",
    "crates/b/README.md",
  ],
  sharedAnyway: [],
  ways: ways.length,
  isNamedByFolder: false,
  hasRoot: true,
  nameOf: (folder, id) => `${folder.replaceAll("/", "-") || "root"}-${id}`,
};

export function renderCargo({ packages, loose }: Model): Files {
  const files: Record<string, Files[string]> = {};
  for (const [path, version] of Object.entries(loose)) files[path] = `# ${version}\n`;
  const members = membersOf(packages).map((member) => `"${member}"`);
  const workspace = `[workspace]\nresolver = "2"\nmembers = [${members.join(", ")}]\nexclude = ["vendor", "crates/c/vendor"]\n`;
  files["Cargo.toml"] = workspace;
  for (const one of packages) {
    for (const [file, version] of Object.entries(one.files))
      files[posix.join(one.folder, file)] = `// ${version}\n`;
    for (const [at, path] of one.reads.entries())
      files[posix.join(one.folder, `src/link-${at}`)] = {
        link: posix.relative(posix.join(one.folder, "src"), path),
      };
    files[posix.join(one.folder, "Cargo.toml")] =
      `${manifest(one, packages)}${one.folder === "" ? `\n${workspace}` : ""}`;
  }
  return files;
}

function manifest(one: ModelPackage, packages: readonly ModelPackage[]): string {
  const tables = Object.entries(one.needs).map(([id, way]) => {
    const needed = packages.find((other) => other.id === Number(id));
    const path = needed ? posix.relative(one.folder, needed.folder) || "." : null;
    const source = path === null ? 'version = "1"' : `path = "${path}"`;
    return `[${ways[way]}.need-${id}]\npackage = "${needed?.name ?? `gone-${id}`}"\n${source}\n`;
  });
  return `[package]\nname = "${one.name}"\nversion = "0.1.0"\nedition = "2021"\n\n${tables.join("\n")}`;
}

/** Returns globs where Cargo accepts them. Cargo rejects a glob that matches a folder without a crate. */
function membersOf(packages: readonly ModelPackage[]): string[] {
  const listed = packages
    .filter(({ isListed, folder }) => isListed && folder !== "")
    .map(({ folder }) => folder);
  const isGlob = listed.every((folder) => listed.includes(folder.split("/").slice(0, 2).join("/")));
  const inner = listed.filter((folder) => !/^(crates|tools)\/[^/]+$/.test(folder));
  const globs = ["crates", "tools"].filter((top) => listed.some((folder) => folder.startsWith(`${top}/`)));
  return isGlob ? [...globs.map((top) => `${top}/*`), ...inner] : listed;
}
