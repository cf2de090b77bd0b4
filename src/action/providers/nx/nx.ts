import { jsonPrintedBy, type Program } from "../../child-process.ts";
import { StepError } from "../../step-error.ts";
import { globalFileFinder, globalImpact } from "../global-files.ts";
import { localProgram } from "../local-program.ts";
import { askBothSides, targetsByPackages } from "../package-graph.ts";
import { batched, type Change, type Impact } from "../provider.ts";
import { readProjects } from "./projects.ts";

/**
 * The projects that Nx reports as affected, and those that its graphs before and after the change show as affected. Nx alone
 * ignores removed projects, and files that belong to no project.
 */
export async function targetsByNx(change: Change): Promise<Impact> {
  const nx = programOf(change);
  const sharedGlobs = new Set<string>();
  const sides = await askBothSides(change, async (sha, side) => {
    const { workspace, sharedInputs } = await readProjects(change, nx, sha, side);
    for (const glob of sharedInputs) sharedGlobs.add(glob);
    return workspace;
  });
  const global = await globalImpact([globalFileFinder("nx.json", [...sharedGlobs], "nx")], change);
  if (global !== null) return global;
  const impact = await targetsByPackages(sides, change);
  if (impact.all) return impact;
  const targets = new Set(await affectedByNx(nx, change));
  for await (const batch of impact.targets) for (const target of batch) targets.add(target);
  return { all: false, targets: batched(targets) };
}

function programOf({ git }: Change): Omit<Program, "args"> {
  // A daemon would outlive the step.
  const env = { ...git.env, NX_DAEMON: "false", NX_TUI: "false", NO_COLOR: "1" };
  return { ...git, env, file: localProgram("nx", git.cwd), label: "nx" };
}

async function affectedByNx(
  nx: Omit<Program, "args">,
  { baseSha, headSha }: Change,
): Promise<readonly string[]> {
  const args = ["show", "projects", "--affected", `--base=${baseSha}`, `--head=${headSha}`, "--json"];
  const projects = await jsonPrintedBy({ ...nx, label: "nx show projects", args });
  if (Array.isArray(projects) && projects.every((item) => typeof item === "string")) return projects;
  throw new StepError("Nx printed an unknown format", "Use Nx 17 or later.");
}
