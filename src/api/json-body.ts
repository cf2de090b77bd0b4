import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { noteBody } from "./idempotency.ts";
import { ProblemError } from "./problem.ts";

/** Parses a body with less effort than any other; null when that one needs as much. */
export type ParseBody = (body: Buffer) => unknown;

declare module "fastify" {
  interface FastifyContextConfig {
    parse?: ParseBody | undefined;
  }
}

/** Reads JSON bodies, and nothing else, in the scope of a plugin. */
export function acceptJson(app: FastifyInstance, bodyLimit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer", bodyLimit },
    async (request: FastifyRequest, body: Buffer) => {
      noteBody(request, body);
      return request.routeOptions.config.parse?.(body) ?? parseJson(body);
    },
  );
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
