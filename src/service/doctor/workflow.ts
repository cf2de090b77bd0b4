import { listensTo } from "../../command/branch-filter.ts";
import { parseWorkflow, type Workflow, type WorkflowConcurrency } from "../../command/parse-workflow.ts";
import type { WorkflowFiles } from "../../ports/code-host/doctor-facts.ts";

export interface ReadWorkflow extends Workflow {
  readonly path: string;
  readonly text: string;
}

/** The workflow files that could be parsed. */
export function readWorkflows({ files }: Pick<WorkflowFiles, "files">): ReadWorkflow[] {
  return files.flatMap(({ path, text }) => {
    const workflow = parseWorkflow(text);
    return workflow ? [{ ...workflow, path, text }] : [];
  });
}

/** The workflows that a push to a branch starts. */
export function listening(workflows: readonly ReadWorkflow[], branch: string): ReadWorkflow[] {
  return workflows.filter(({ push }) => push !== null && listensTo(push, branch));
}

/**
 * Whether one of the workflows reports a check of this name; `maybe` when an expression or another file
 * decides.
 */
export function providesCheck(workflows: readonly ReadWorkflow[], check: string): "yes" | "maybe" | "no" {
  const jobs = workflows.flatMap((workflow) => workflow.jobs);
  if (jobs.some(({ name, match }) => match === "exact" && name === check)) return "yes";
  const isPossible = jobs.some(
    ({ name, match }) => match === "unknown" || (match === "prefix" && check.startsWith(name)),
  );
  return isPossible ? "maybe" : "no";
}

/** Expressions that differ between test branches. */
const perBranch = /\bgithub\.(ref|ref_name|sha|run_id|run_number|event\.(after|ref|head_commit\.id))\b/;
/** Expressions that are equal or empty on every push. */
const shared =
  /^(github\.(workflow|workflow_ref|repository|event_name|head_ref|base_ref|actor|job|event\.pull_request\.\w+|event\.number)|'[^']*'|\|\||\s)+$/;

/** Whether the runs of all test branches share one concurrency group. */
export function sharesGroup({ group }: WorkflowConcurrency): boolean | "unknown" {
  const expressions = [...group.matchAll(/\$\{\{(.*?)\}\}/g)].map(([, inside = ""]) => inside);
  if (expressions.some((inside) => perBranch.test(inside))) return false;
  return expressions.every((inside) => shared.test(inside)) ? true : "unknown";
}
