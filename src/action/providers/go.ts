import { itemsPrintedBy } from "../child-process.ts";
import { StepError } from "../step-error.ts";
import { type Package, targetsByPackages } from "./package-graph.ts";
import type { Change, Impact } from "./provider.ts";
import { repositoryFolders } from "./repository-folder.ts";

/** Import path, directory, and what it imports itself and in its tests; or its path and what is wrong with it. */
const template = [
  "{{if .Error}}!\t{{.ImportPath}}\t{{.Error}}{{else}}",
  '{{.ImportPath}}\t{{.Dir}}\t{{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}',
  "{{end}}",
].join("");

/** The packages of the main modules that changed, and those that import them, be it in tests. */
export async function targetsByGo(change: Change): Promise<Impact> {
  const modules = await printed(change, "list", "-m", "-f", "{{.Dir}}");
  const patterns = modules.map((directory) => `${directory}/...`);
  // Modules from elsewhere need not be here: -e passes over what they lack.
  const lines = await printed(change, "list", "-e", "-f", template, ...patterns);
  const folderOf = await repositoryFolders(change.git);
  const packages = lines.map(async (line): Promise<Package> => {
    const [name = "", directory = "", imports = ""] = line.split("\t");
    if (name === "!") {
      throw new StepError("Go cannot read a package", `${directory}: ${imports}. Mend it, and push again.`);
    }
    return { name, folder: await folderOf(directory), needs: imports.split(" ") };
  });
  return targetsByPackages(await Promise.all(packages), change);
}

async function printed({ git }: Change, ...args: string[]): Promise<string[]> {
  const program = { ...git, file: "go", label: `go ${args.slice(0, 2).join(" ")}`, args };
  const lines: string[] = [];
  for await (const batch of itemsPrintedBy(program, "\n", "keep")) lines.push(...batch);
  return lines;
}
