import type { FastifyInstance, FastifyRequest } from "fastify";
import { noteBody } from "./idempotency.ts";
import { ProblemError } from "./problem.ts";

/** Reads JSON bodies, and nothing else, in the scope of a plugin. */
export function acceptJson(app: FastifyInstance, bodyLimit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer", bodyLimit },
    async (request: FastifyRequest, body: Buffer) => {
      noteBody(request, body);
      return parseJson(body);
    },
  );
}

/** @throws ProblemError 400 */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw malformed("The body is empty. Send a JSON object.");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw malformed("The body is not valid JSON in UTF-8. Send a JSON object.");
  }
}

function malformed(detail: string): ProblemError {
  return new ProblemError({ code: "MALFORMED_JSON", detail });
}
