import { randomUUID } from "node:crypto";
import * as z from "zod";
import { nearlyOurName, repositoryFilePath } from "../../command/repository-file.ts";
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
  // A payload that does not match the schema is refused by its handler, which logs the fault.
  const needed: { repository?: object } = schema?.safeParse(payload).data ?? {};
  return {
    ...(action === undefined ? {} : { action }),
    ...needed,
    repository: { ...needed.repository, full_name: repository?.full_name },
  };
}

const key = Buffer.from('"commits":[');
/** Replaces the list. It is random, so that no sender can send it. */
const placeholder = randomUUID();
/** The list is searched in pieces, because it may have 25 MiB. Pieces overlap by more than the longest name. */
const [pieceLength, overlap] = [65_536, 32];

const quote = 0x22;
const backslash = 0x5c;
const [openList, closeList] = [0x5b, 0x5d];

/**
 * Parses the payload of a push without its commits, which may name 25 MiB of paths. If any of them may touch the repository's
 * file, the result has one commit that modifies it, else none. Parsing all commits would take a hundred megabytes. Returns
 * null when there is no such list, or when the payload is not a JSON object.
 */
function parseWithoutCommits(body: Buffer): object | null {
  const from = body.indexOf(key);
  const list = from + key.length - 1;
  const end = from < 0 ? -1 : endOfList(body, list);
  if (end < 0) return null;
  const parsed = parse(`${body.toString("utf8", 0, list)}"${placeholder}"${body.toString("utf8", end)}`);
  if (parsed?.commits !== placeholder) return null;
  const isTouched = namesFile(body.subarray(list, end));
  return { ...parsed, commits: isTouched ? [{ modified: [repositoryFilePath] }] : [] };
}

/** The name without directories, because JSON may escape the slash. */
function namesFile(list: Buffer): boolean {
  for (let from = 0; from < list.length; from += pieceLength)
    if (nearlyOurName.test(list.toString("latin1", from, from + pieceLength + overlap))) return true;
  return false;
}

/** Returns the offset behind the bracket that closes a list; -1 when none does. */
function endOfList(body: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at++) {
    const byte = body[at];
    if (byte === quote) at = endOfString(body, at + 1);
    else if (byte === openList) depth += 1;
    else if (byte === closeList && --depth === 0) return at + 1;
  }
  return -1;
}

function endOfString(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

function parse(text: string): { commits?: unknown } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
