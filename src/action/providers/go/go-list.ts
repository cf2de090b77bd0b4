import { itemsPrintedBy } from "../../child-process.ts";
import type { GitEnvironment } from "../../git/git.ts";
import { StepError } from "../../step-error.ts";

/** A package, as `go list` describes it. */
export interface Listed {
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

export const goList = {
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
