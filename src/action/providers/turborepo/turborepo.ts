import { jsonPrintedBy } from "../../child-process.ts";
import { StepError } from "../../step-error.ts";
import { globalFileFinder, globalImpact } from "../global-files.ts";
import { localProgram } from "../local-program.ts";
import { askBothSides, targetsByPackages } from "../package-graph.ts";
import { batched, type Change, type Impact } from "../provider.ts";
import { nodeToolAt, readWorkspace } from "../workspaces/workspaces.ts";
import { addTasks, readTaskFiles } from "./tasks.ts";

/**
 * The packages that Turborepo reports as affected, and those that the workspace and its tasks before and after the change show as
 * affected. Turborepo alone ignores removed packages, inputs outside of a package, and tasks of other packages.
 */
export async function targetsByTurborepo(change: Change): Promise<Impact> {
  const globalGlobs = new Set<string>();
  const sides = await askBothSides(change, async (sha) => {
    const workspace = await readWorkspace(await nodeToolAt(change.git, sha), change.git, sha);
    const tasks = await readTaskFiles(change.git, sha, workspace.packages);
    for (const glob of tasks.globalDependencies) globalGlobs.add(glob);
    return addTasks(workspace, tasks);
  });
  const global = await globalImpact(
    [globalFileFinder("globalDependencies of turbo.json", [...globalGlobs], "turborepo")],
    change,
  );
  if (global !== null) return global;
  const impact = await targetsByPackages(sides, change);
  if (impact.all) return impact;
  const targets = new Set(await affectedByTurborepo(change));
  for await (const batch of impact.targets) for (const target of batch) targets.add(target);
  return { all: false, targets: batched(targets) };
}

async function affectedByTurborepo({ git, baseSha, headSha }: Change): Promise<readonly string[]> {
  const env = {
    ...git.env,
    TURBO_SCM_BASE: baseSha,
    TURBO_SCM_HEAD: headSha,
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
  const args = ["ls", "--affected", "--output=json"];
  const file = localProgram("turbo", git.cwd);
  const answer = await jsonPrintedBy({ ...git, env, file, label: "turbo ls", args });
  const names = namesIn(answer);
  if (names !== null) return names;
  throw new StepError("Turborepo printed an unknown format", "Use turbo 2.2 or later.");
}

/** Reads `{"packages": {"items": [{"name": …}]}}`. */
function namesIn(answer: unknown): string[] | null {
  const { packages } = Object(answer) as { packages?: { items?: unknown } };
  if (!Array.isArray(packages?.items)) return null;
  const names = packages.items.map((item) => Object(item).name as unknown);
  return names.every((name) => typeof name === "string") ? names : null;
}
