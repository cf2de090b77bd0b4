import { jsonPrintedBy } from "../child-process.ts";
import { StepError } from "../step-error.ts";
import { localProgram } from "./local-program.ts";
import { batched, type Change, type Impact } from "./provider.ts";

/** The projects that Nx says are affected. */
export async function targetsByNx({ git, baseSha, headSha }: Change): Promise<Impact> {
  const args = ["show", "projects", "--affected", `--base=${baseSha}`, `--head=${headSha}`, "--json"];
  // A daemon would outlive the step.
  const env = { ...git.env, NX_DAEMON: "false", NX_TUI: "false", NO_COLOR: "1" };
  const file = localProgram("nx", git.cwd);
  const projects = await jsonPrintedBy({ ...git, env, file, label: "nx show projects", args });
  if (!isListOfText(projects)) {
    throw new StepError("Nx answered in another way than known", "Use a release of Nx from 17 on.");
  }
  return { all: false, targets: batched(projects) };
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
