import type { WorkflowEvent } from "./workflow.ts";

/** The values that an expression can name. */
interface GroupContext {
  event: WorkflowEvent;
  workflow: string;
  /** The branch that was pushed to, or the pull request's head branch. */
  branch: string;
  /** The pull request; null for a push. */
  pr: number | null;
  runId: number;
}

const expression = /\$\{\{([^}]*)\}\}/g;

const names: Readonly<Record<string, (context: GroupContext) => string>> = {
  "github.workflow": ({ workflow }) => workflow,
  "github.event_name": ({ event }) => event,
  "github.ref": ({ pr, branch }) => (pr === null ? `refs/heads/${branch}` : `refs/pull/${pr}/merge`),
  "github.ref_name": ({ pr, branch }) => (pr === null ? branch : `${pr}/merge`),
  "github.head_ref": ({ pr, branch }) => (pr === null ? "" : branch),
  "github.event.pull_request.number": ({ pr }) => (pr === null ? "" : String(pr)),
  "github.run_id": ({ runId }) => String(runId),
};

const operandsOf = (source: string) => source.split("||").map((operand) => operand.trim());

/** @throws for a group with a name that the sandbox does not know */
export function checkGroup(group: string): void {
  for (const [, source = ""] of group.matchAll(expression)) {
    const unknown = operandsOf(source).find((operand) => !(operand in names));
    if (unknown !== undefined) throw new Error(`concurrency group ${group}: ${unknown} is not known`);
  }
}

/**
 * Evaluates the group of a run. It contains names in `${{ }}`; `||` takes the first value that is not empty. Groups are compared
 * case-insensitively.
 */
export function groupOf(group: string, context: GroupContext): string {
  return group
    .replace(expression, (_, source: string) => {
      const values = operandsOf(source).map((operand) => names[operand]?.(context) ?? "");
      return values.find((value) => value !== "") ?? "";
    })
    .toLowerCase();
}
