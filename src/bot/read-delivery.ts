import * as z from "zod";
import { parseWithoutCommits } from "./cut-commits.ts";
import {
  checkRunPayload,
  issueCommentPayload,
  pullRequestPayload,
  pushPayload,
  rerequestPayload,
  statusPayload,
} from "./payload.ts";

/** A job for the thread that parses what is large. */
export interface ReadDeliveryJob {
  readonly kind: "delivery";
  readonly event: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The payload of a webhook; null when it is not a JSON object. */
export function readPayload(body: Uint8Array): object | null {
  try {
    const payload: unknown = JSON.parse(bufferOf(body).toString());
    return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : null;
  } catch {
    return null;
  }
}

/** What handlers need of a large payload: a few kilobytes at most. Null when it is not a JSON object. */
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
  pull_request_review: pullRequestPayload,
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
  // What does not keep to the schema is refused when it is handled, where it is seen.
  const needed: { repository?: object } = schema?.safeParse(payload).data ?? {};
  return {
    ...(action === undefined ? {} : { action }),
    ...needed,
    repository: { ...needed.repository, full_name: repository?.full_name },
  };
}
