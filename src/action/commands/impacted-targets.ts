import { open } from "node:fs/promises";
import { ApiError } from "../../client/client.ts";
import { asClause, asSentence, counted } from "../../engine/reasons/sentence.ts";
import type { ImpactedTargetsInputs } from "../inputs.ts";
import { findImpact } from "../providers/find-impact.ts";
import { type Outcome, type Runner, type Step, StepError } from "../step.ts";
import { type Collected, collectTargets, writeAll } from "../targets/collect-targets.ts";
import {
  type Access,
  dryRun,
  forkRefused,
  tooLargeText,
  uploaded,
  uploadTargets,
  withoutToken,
} from "../targets/upload-targets.ts";

/**
 * Determines the pull request's impacted targets and uploads them. If they cannot be determined, uploads `ALL`, which is always
 * safe.
 */
export async function impactedTargets(inputs: ImpactedTargetsInputs, step: Step): Promise<Outcome> {
  const { headSha } = step.subject;
  if (headSha === null) {
    throw new StepError(
      "Which head?",
      "The event does not contain the pull request's head. Run on pull_request, or give the job `pull-requests: read`.",
    );
  }
  const source = sourceOf(inputs, step);
  if (source === null && !inputs.dryRun) return withoutToken(inputs, step);
  const collected = await collect(inputs, step, headSha);
  await detailTargets(collected, step.runner);
  const { because } = collected;
  // A step that fails for this reason is annotated in any case.
  const isFailure = because?.code === "PROVIDER_FAILED" && inputs.onError === "fail";
  if (because !== null && because.code !== "IMPACTS_ALL" && !isFailure) {
    step.runner.annotate("warning", "ALL instead of a list of targets", asSentence(because.text));
  }
  if (source === null || inputs.dryRun) return dryRun(inputs, collected);
  try {
    const access = await accessBy(source, inputs, step);
    const upload = await uploadTargets(collected, access, step);
    if (upload.wasTooLarge) {
      step.runner.annotate("warning", "ALL instead of a list of targets", tooLargeText);
      await writeAll(collected.file);
    }
    return uploaded(inputs, collected, upload);
  } catch (error) {
    if (source === "run" && isRefusal(error)) return forkRefused(inputs, collected, error);
    throw error;
  }
}

/** The credential for the upload. */
type Source = "api-token" | "run" | "job";

/**
 * Uses the API token if there is one. A fork has none, so the id of its workflow run is used. Other jobs may have a token of their
 * own.
 */
function sourceOf(
  { apiToken }: ImpactedTargetsInputs,
  { subject, workflow, issueToken }: Step,
): Source | null {
  if (apiToken !== null) return "api-token";
  if (subject.isFromFork) return workflow.runId === null ? null : "run";
  return issueToken === null ? null : "job";
}

async function accessBy(source: Source, { apiToken }: ImpactedTargetsInputs, step: Step): Promise<Access> {
  if (source === "run") return { forkedWorkflowRunId: step.workflow.runId ?? "" };
  if (source === "job") return { workflowToken: (await step.issueToken?.()) ?? "" };
  return { token: apiToken ?? "" };
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

async function collect(inputs: ImpactedTargetsInputs, step: Step, headSha: string): Promise<Collected> {
  const { queue, pr } = step.subject;
  const request = { ...queue, pr: { number: pr, sha: headSha } };
  const timeout = AbortSignal.timeout(inputs.timeoutMs);
  const signal = AbortSignal.any([step.signal, timeout]);
  const find = () => findImpact(inputs, step, headSha, signal);
  const explain = (error: unknown) => {
    if (timeout.aborted) return `it did not end within ${counted(inputs.timeoutMs / 60_000, "minute")}`;
    if (error instanceof StepError) return asClause(`${error.title}. ${error.message}`);
    return error instanceof Error ? error.message : String(error);
  };
  const { temporary } = step.workflow;
  const collected = await collectTargets({ request, find, explain, temporary });
  if (step.signal.aborted)
    throw new StepError("Cancelled", "The workflow was cancelled; nothing was posted.");
  return collected;
}

const mostShown = 1_000;

/** Logs the targets that were found, for debugging. */
async function detailTargets({ file, count }: Collected, runner: Runner): Promise<void> {
  const handle = await open(file);
  let shown = 0;
  for await (const target of handle.readLines()) {
    runner.detail(`target: ${target}`);
    shown += 1;
    if (shown === mostShown) break;
  }
  await handle.close();
  if (count !== null && count > shown)
    runner.detail(`and ${counted(count - shown, "more target")}; see ${file}`);
}
