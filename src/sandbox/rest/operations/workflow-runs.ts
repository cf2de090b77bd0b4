import type { Handlers } from "../operation.ts";
import { notFound } from "../refusal.ts";
import { renderWorkflowRun } from "../render/workflow-run.ts";

export const workflowRunOperations: Handlers<"actions/get-workflow-run"> = {
  "actions/get-workflow-run": async ({ urls, path, repository }) => {
    const run = repository.workflowRuns.get(path.run_id);
    if (run === undefined) throw notFound();
    return { status: 200, body: await renderWorkflowRun(urls, repository, run) };
  },
};
