import { posix } from "node:path";
import type { Model, ModelPackage, Places } from "./model.ts";
import type { Files } from "./truth.ts";

/**
 * Where an import is: in the package itself, in its tests, or in a file that this machine's build leaves out.
 */
const ways = ["code", "tests", "outside tests", "tagged", "tagged tests", "other platform"] as const;

const modulePath = "example.org/shop";

export const goPlaces: Places = {
  folders: ["core", "api", "api/inner", "web/deep", "tools/gen", "web", "cmd/tool"],
  // A separate module, which the main module includes by `replace`.
  excluded: ["lib"],
  files: ["main.go", "more.go", "testdata/case.txt", "schema.sql", "page.html", "windows_windows.go"],
  loose: ["go.sum", "Makefile", "docker-compose.yml", "db/schema.sql", "web/shared.tmpl"],
  readable: [],
  untold: [
    "go.sum",
    "Makefile",
    "docker-compose.yml",
    "db/schema.sql",
    "web/shared.tmpl",
    "api/testdata/case.txt",
    "web/testdata/case.txt",
  ],
  sharedAnyway: ["web/shared.tmpl", "core/schema.sql", "api/inner/schema.sql"],
  ways: ways.length,
  isNamedByFolder: true,
  hasRoot: true,
  nameOf: (folder) => posix.join(modulePath, folder),
};

export function renderGo({ packages, loose }: Model): Files {
  const files: Record<string, Files[string]> = {};
  for (const [path, version] of Object.entries(loose)) files[path] = `${version}\n`;
  files["go.sum"] =
    `example.org/none v0.0.${loose["go.sum"]} h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`;
  const library = packages.find(({ isListed }) => !isListed);
  const replaced = library
    ? `\nrequire example.org/lib v0.0.0\n\nreplace example.org/lib => ./${library.folder}\n`
    : "";
  files["go.mod"] = `module ${modulePath}\n\ngo 1.19\n${replaced}`;
  if (library) files[`${library.folder}/go.mod`] = `module ${modulePath}/else\n\ngo 1.19\n`;
  for (const one of packages) {
    const at = (file: string) => posix.join(one.folder, file);
    const imports = (...kinds: readonly (typeof ways)[number][]) => importsOf(one, packages, kinds);
    for (const [file, version] of Object.entries(one.files)) {
      files[at(file)] = file.endsWith(".go") ? `package one\n\n// ${version}\n` : `${version}\n`;
    }
    const embedded =
      "page.html" in one.files ? '\nimport _ "embed"\n\n//go:embed page.html\nvar page string\n' : "";
    const reading = one.secretly.map((path) => `// Reads ${path}.\n`).join("");
    files[at("main.go")] =
      `package one\n\n${imports("code")}${embedded}\n${reading}// ${one.files["main.go"]}\n`;
    files[at("one_test.go")] = `package one\n\n${imports("tests")}`;
    files[at("outside_test.go")] = `package one_test\n\n${imports("outside tests")}`;
    files[at("tagged.go")] = `//go:build special\n\npackage one\n\n${imports("tagged")}`;
    files[at("tagged_test.go")] = `//go:build integration\n\npackage one\n\n${imports("tagged tests")}`;
    files[at("other_plan9.go")] = `package one\n\n${imports("other platform")}`;
  }
  return files;
}

function importsOf(one: ModelPackage, packages: readonly ModelPackage[], kinds: readonly string[]): string {
  return Object.entries(one.needs)
    .filter(([, way]) => kinds.includes(ways[way] ?? ""))
    .map(([id]) => {
      const needed = packages.find((other) => other.id === Number(id));
      const path =
        needed === undefined ? `${modulePath}/gone${id}` : needed.isListed ? needed.name : "example.org/lib";
      return `import _ "${path}"\n`;
    })
    .join("");
}
