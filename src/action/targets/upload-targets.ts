import { type AnswerOf, ApiError, type ClientOptions } from "../../client/client.ts";
import type { EncodedBody } from "../../client/encoded-body.ts";
import { sendEncoded } from "../../client/send-encoded.ts";
import { asClause, counted } from "../../engine/reasons/sentence.ts";
import { checkAnswer, createCheckedClient } from "../checked-client.ts";
import type { ImpactedTargetsInputs } from "../inputs.ts";
import type { Outcome, Step } from "../step.ts";
import { code, escapeMarkdown } from "../summary.ts";
import type { Collected } from "./collect-targets.ts";

/** An upload of 20 MiB takes long on a slow connection. */
const uploadTimeoutMs = 180_000;

export type Access = Pick<ClientOptions, "token" | "workflowToken" | "forkedWorkflowRunId">;

interface Upload {
  readonly answer: AnswerOf<"setImpactedTargets">;
  /** Whether `ALL` had to be posted because the list was refused for its size. */
  readonly wasTooLarge: boolean;
}

/** Uploads the list, or `ALL`. @throws ApiError, NetworkError */
export async function uploadTargets(
  { body, request }: Collected,
  access: Access,
  { service }: Step,
): Promise<Upload> {
  const { token: _, ...rest } = service;
  const options = { ...rest, ...access, timeoutMs: uploadTimeoutMs };
  const all = () => createCheckedClient(options).setImpactedTargets({ ...request, impactedTargets: "ALL" });
  if (body === null) return { answer: await all(), wasTooLarge: false };
  const answer = await sendUnlessTooLarge(options, body);
  return answer === null ? { answer: await all(), wasTooLarge: true } : { answer, wasTooLarge: false };
}

/** Null when the body is larger than the service, or a proxy in front of it, accepts. */
async function sendUnlessTooLarge(
  options: ClientOptions,
  body: EncodedBody,
): Promise<Upload["answer"] | null> {
  try {
    return checkAnswer("setImpactedTargets", await sendEncoded(options, "setImpactedTargets", body));
  } catch (error) {
    if (error instanceof ApiError && error.status === 413) return null;
    throw error;
  }
}

/** The outcomes of uploading impacted targets, with their texts. */

export const tooLargeText =
  "The service, or a proxy in front of it, refused the list as too large (413). Allow bodies of 20 MiB in the proxy.";

export function uploaded(
  { onError }: ImpactedTargetsInputs,
  collected: Collected,
  { answer, wasTooLarge }: Upload,
): Outcome {
  const count = answer.targetsCount;
  const isAdded = answer.reason === "ADDED_TO_TRUSTED";
  const stored = `${count === "ALL" ? "ALL" : counted(count, "target")} for head ${answer.prSha.slice(0, 12)}`;
  const posted = isAdded
    ? `Added to the targets that were posted with a token, now ${stored}`
    : `Posted ${stored}`;
  const why = wasTooLarge ? asClause(tooLargeText) : collected.because?.text;
  const message = `${posted}${why === undefined ? "" : `: ${asClause(why)}`}.`;
  if (collected.because?.code === "PROVIDER_FAILED" && onError === "fail") {
    return {
      ...outcome(collected, count),
      verdict: "uploaded",
      isFailure: true,
      title: "The targets could not be determined",
      message: `${message} That is safe but slow. Fix the cause, or set on-error: all to let the step succeed.`,
    };
  }
  return {
    ...outcome(collected, count),
    verdict: "uploaded",
    isFailure: false,
    title: "Uploaded",
    message,
  };
}

export function dryRun({ onError }: ImpactedTargetsInputs, collected: Collected): Outcome {
  const { because, request } = collected;
  const what = because === null ? counted(collected.count ?? 0, "target") : `ALL: ${asClause(because.text)}`;
  const isFailure = because?.code === "PROVIDER_FAILED" && onError === "fail";
  const message = `Would post, for head ${request.pr.sha.slice(0, 12)}, ${what}.`;
  return { ...outcome(collected, null), verdict: "dry-run", isFailure, title: "Dry run", message };
}

/** The workflow has no secrets, and no fork's run that could serve as a credential. */
export function withoutToken({ strict }: ImpactedTargetsInputs, { workflow, subject }: Step): Outcome {
  const where = workflow.actor === "dependabot[bot]" ? "the Dependabot secrets" : "the repository's secrets";
  return {
    verdict: "skipped",
    isFailure: strict,
    title: "No token",
    message: `The input api-token is empty, so nothing was posted, and #${subject.pr} counts as impacting everything. Store an API token in ${where} and set api-token from it, or give the job \`id-token: write\`.`,
    outputs: {},
    details: [],
  };
}

export function forkRefused(
  { strict }: ImpactedTargetsInputs,
  collected: Collected,
  error: ApiError,
): Outcome {
  return {
    ...outcome(collected, null),
    verdict: "skipped",
    isFailure: strict,
    title: "Not accepted from a fork",
    message: `A fork's workflow has no secrets, so it can only identify itself by its run, which the service did not accept: ${error.detail} Nothing was posted, and the pull request counts as impacting everything. To upload for it, run on pull_request_target without running the fork's code.`,
  };
}

function outcome({ count, file, because, body }: Collected, posted: number | "ALL" | null) {
  const targets = String(posted ?? (body === null ? "ALL" : count));
  return {
    outputs: { "targets-count": targets, targets: file },
    details: [
      `- targets: ${code(targets)}`,
      ...(because === null ? [] : [`- everything, because ${escapeMarkdown(because.text)}`]),
    ],
  };
}
