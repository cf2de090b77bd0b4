import * as z from "zod";
import { parseWithoutCommits } from "../commands/cut-commits.ts";
import {
  checkRunPayload,
  issueCommentPayload,
  lineCommentPayload,
  pullRequestPayload,
  pushPayload,
  rerequestPayload,
  reviewPayload,
  statusPayload,
} from "./payload.ts";

/** A job for the thread that parses large payloads. */
export interface ReadDeliveryJob {
  readonly kind: "delivery";
  readonly event: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Parses the payload of a webhook. Returns null when it is not a JSON object. */
export function readPayload(body: Uint8Array): object | null {
  try {
    const payload: unknown = JSON.parse(bufferOf(body).toString());
    return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : null;
  } catch {
    return null;
  }
}

/**
 * Returns the fields of a large payload that handlers need: a few kilobytes at most. Returns null when it is not a JSON
 * object.
 */
export function readLargePayload(event: string, body: Uint8Array): object | null {
  const payload = parseWithoutCommits(bufferOf(body)) ?? readPayload(body);
  return payload && trimPayload(event, payload);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

const schemas = {
  issue_comment: issueCommentPayload,
  pull_request: pullRequestPayload,
  pull_request_review: reviewPayload,
  pull_request_review_comment: lineCommentPayload,
  check_run: z.union([rerequestPayload, checkRunPayload]),
  check_suite: rerequestPayload,
  status: statusPayload,
  push: pushPayload,
} as const;

interface Facts {
  readonly action?: unknown;
  readonly repository?: { readonly full_name?: unknown };
}

function trimPayload(event: string, payload: object): object {
  const { action, repository } = payload as Facts;
  const schema = Object.hasOwn(schemas, event) ? schemas[event as keyof typeof schemas] : null;
  // A payload that does not match the schema is refused by its handler, where the fault is visible.
  const needed: { repository?: object } = schema?.safeParse(payload).data ?? {};
  return {
    ...(action === undefined ? {} : { action }),
    ...needed,
    repository: { ...needed.repository, full_name: repository?.full_name },
  };
}
