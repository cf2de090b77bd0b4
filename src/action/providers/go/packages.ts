import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { itemsPrintedBy } from "../../child-process.ts";
import type { ExportedTree } from "../../git/export-tree.ts";
import type { GitEnvironment } from "../../git/git.ts";
import { StepError } from "../../step.ts";
import { pathWithin } from "../repository-paths.ts";

export interface GoPackage {
  readonly name: string;
  /** Relative to the repository's root; empty for the root. */
  readonly folder: string;
  /** Its files, relative to its folder. */
  readonly files: readonly string[];
  /** The imports of the package and of its tests, including those that this machine's platform and tags exclude. */
  readonly imports: readonly string[];
}

/** A package embeds files that are not in the repository, because another step builds them. Their sources are not known. */
export class EmbedsBuiltFiles extends Error {
  override readonly name = "EmbedsBuiltFiles";
}

/** The maximum number of folders on one command line. */
const mostFolders = 500;

/**
 * The packages of the main modules, and the packages in the repository that they import, such as those of a module that `replace`
 * maps to a folder here.
 *
 * @throws EmbedsBuiltFiles
 * @param folders folders with Go files, relative to the repository's root.
 * @param localModules the import paths of the repository's modules.
 */
export async function listPackages(
  git: GitEnvironment,
  { root, cwd }: ExportedTree,
  folders: readonly string[],
  localModules: readonly string[],
): Promise<GoPackage[]> {
  const here = { ...git, cwd };
  const modules = await goList.modules(here);
  const listed = await goList.packages(
    here,
    modules.map((directory) => `${directory}/...`),
  );
  const known = new Set(listed.map(({ directory }) => directory));
  // Go skips a folder whose files are all for other platforms or tags, unless the folder is named.
  const left = folders
    .map((folder) => join(root, folder))
    .filter((directory) => !known.has(directory) && modules.includes(moduleOf(directory, root)));
  for (let start = 0; start < left.length; start += mostFolders) {
    listed.push(...(await goList.packages(here, left.slice(start, start + mostFolders))));
  }
  const packages = new Map<string, GoPackage>();
  const asked = new Set<string>();
  while (listed.length > 0) {
    const imports = new Set<string>();
    for (const one of listed.splice(0)) {
      const folder = one.directory === "" ? null : pathWithin(root, one.directory);
      if (folder === null || packages.has(one.name)) continue;
      const leftOut = await importsLeftOut(one);
      for (const path of leftOut)
        if (localModules.some((module) => isWithin(path, module))) imports.add(path);
      packages.set(one.name, {
        name: one.name,
        folder,
        files: one.files,
        imports: [...one.imports, ...leftOut],
      });
    }
    // Go also skips packages of the repository's other modules if only files that it excludes import them.
    const unknown = [...imports].filter((path) => !packages.has(path) && !asked.has(path));
    for (const path of unknown) asked.add(path);
    if (unknown.length > 0) listed.push(...(await goList.packages(here, unknown)));
  }
  return [...packages.values()];
}

function moduleOf(directory: string, root: string): string {
  for (let above = directory; above !== root; above = dirname(above)) {
    if (existsSync(join(above, "go.mod"))) return above;
  }
  return root;
}

function isWithin(path: string, module: string): boolean {
  return path === module || path.startsWith(`${module}/`);
}

/** Go does not report the imports of excluded files, so every quoted text in them counts as an import. Other texts match no package. */
async function importsLeftOut({ directory, ignored }: Listed): Promise<string[]> {
  const texts = await Promise.all(ignored.map((file) => readFile(join(directory, file), "utf8")));
  return texts.flatMap((text) => [...text.matchAll(/["`]([^"`\s]+)["`]/g)].map(([, path = ""]) => path));
}

/** A package, as `go list` describes it. */
interface Listed {
  readonly name: string;
  /** Empty for a package that is not here. */
  readonly directory: string;
  readonly files: readonly string[];
  readonly imports: readonly string[];
  /** Go files that build constraints exclude on this machine. */
  readonly ignored: readonly string[];
}

/** `HFiles` is left out, because any package may include a C header: a changed header has to impact all targets. */
const files = [
  ...["GoFiles", "CgoFiles", "TestGoFiles", "XTestGoFiles", "IgnoredGoFiles", "InvalidGoFiles"],
  ...["EmbedFiles", "TestEmbedFiles", "XTestEmbedFiles"],
  ...["CFiles", "CXXFiles", "MFiles", "FFiles", "SFiles", "SwigFiles", "SwigCXXFiles", "SysoFiles"],
];
const imports = ["Imports", "TestImports", "XTestImports"];
const separator = "\0";
const joined = (fields: readonly string[]) =>
  fields.map((field) => `{{join .${field} "\\x00"}}`).join('{{"\\x00"}}');
const columns = [
  "{{.ImportPath}}",
  "{{.Dir}}",
  '{{with .Error}}{{printf "%q" .Err}}{{end}}',
  joined(["IgnoredGoFiles"]),
  joined(files),
  joined(imports),
];
/** Excludes Go's standard library, and the variants of packages that tests use. */
const template = `{{if not (or .Standard .ForTest)}}${columns.join('{{"\\t"}}')}{{end}}`;

const goList = {
  /** The directories of the main modules. */
  async modules(git: GitEnvironment): Promise<string[]> {
    return printed(git, "list", "-m", "-f", "{{.Dir}}");
  },

  /** The packages that patterns match, and all that these and their tests import. @throws StepError if Go cannot read one of them */
  async packages(git: GitEnvironment, patterns: readonly string[]): Promise<Listed[]> {
    // -e tolerates packages of external modules that are missing here.
    const lines = await printed(git, "list", "-e", "-deps", "-test", "-f", template, ...patterns);
    const listed = lines.map(parse);
    const names = new Set(listed.map(({ name }) => name));
    return listed.filter(
      ({ name }) => !(name.endsWith(".test") && names.has(name.slice(0, -".test".length))),
    );
  },
};

function parse(line: string): Listed {
  const [name = "", directory = "", error = "", ...lists] = line.split("\t");
  const [ignored = [], files = [], imports = []] = lists.map((list) =>
    list.split(separator).filter((item) => item !== ""),
  );
  const isLeftOut = error.includes("build constraints exclude all Go files");
  if (directory !== "" && /pattern .*: no matching files found/.test(error))
    throw new EmbedsBuiltFiles(
      `${name} embeds files that are not committed: ${error.replaceAll(/^"|"$/g, "")}`,
    );
  if (error !== "" && directory !== "" && !isLeftOut) {
    throw new StepError("Go cannot read a package", `${name}: ${error}. Fix it, then push again.`);
  }
  return { name, directory, files, imports, ignored };
}

async function printed(git: GitEnvironment, ...args: string[]): Promise<string[]> {
  const program = { ...git, file: "go", label: `go ${args.slice(0, 2).join(" ")}`, args };
  const lines: string[] = [];
  for await (const batch of itemsPrintedBy(program, "\n", "keep")) lines.push(...batch);
  return lines;
}
