import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest, RequestPayload } from "fastify";
import { noteBody } from "./idempotency.ts";
import { ProblemError } from "./problem.ts";
import { type Gate, readBody } from "./read-body.ts";

/** Parses a body with less effort than any other; null when that one needs as much. */
export type ParseBody = (body: Buffer) => unknown;

declare module "fastify" {
  interface FastifyContextConfig {
    parse?: ParseBody | undefined;
  }
}

/** Reads JSON bodies, and nothing else, in the scope of a plugin. `gateOf` says who may not send all of one unasked. */
export function acceptJson(
  app: FastifyInstance,
  limit: number,
  gateOf: (request: FastifyRequest) => Gate | null = () => null,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: RequestPayload) => {
    const body = await readBody(payload, { told: toldLength(request), limit, gate: gateOf(request) });
    noteBody(request, body);
    return request.routeOptions.config.parse?.(body) ?? parseJson(body);
  });
}

/** Of a body that was compressed, it is another's length. */
function toldLength({ headers }: FastifyRequest): number | null {
  const length = headers["content-length"];
  return length === undefined || headers["content-encoding"] ? null : Number(length);
}

/** @throws ProblemError 400 */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The body is empty. Send a JSON object.");
  // In two steps, since a TextDecoder takes longer for a large body than for both.
  if (!isUtf8(body)) throw notJson();
  try {
    return JSON.parse(body.toString("utf8", hasMark(body) ? 3 : 0));
  } catch {
    throw notJson();
  }
}

/** Whether a byte order mark, which means nothing in UTF-8, begins it. */
function hasMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

function notJson(): ProblemError {
  return malformed("The body is not valid JSON in UTF-8. Send a JSON object.");
}

function malformed(detail: string): ProblemError {
  return new ProblemError({ code: "MALFORMED_JSON", detail });
}
