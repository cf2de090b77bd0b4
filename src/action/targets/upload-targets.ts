import { type AnswerOf, ApiError, type ClientOptions } from "../../client/client.ts";
import type { EncodedBody } from "../../client/encoded-body.ts";
import { sendEncoded } from "../../client/send-encoded.ts";
import { checkAnswer, createCheckedClient } from "../checked-client.ts";
import type { Step } from "../step.ts";
import type { Collected } from "./collect-targets.ts";

/** An upload of 20 MiB takes long on a slow connection. */
const uploadTimeoutMs = 180_000;

export type Access = Pick<ClientOptions, "token" | "workflowToken" | "forkedWorkflowRunId">;

export interface Upload {
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

/** Null when the body is larger than the service accepts, or than a proxy in front of it accepts. */
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
