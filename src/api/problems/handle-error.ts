import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isStorageFault } from "../../service/workers/retry.ts";
import { type Problem, type ProblemCode, ProblemError } from "./problem.ts";
import { sendProblem } from "./send-problem.ts";
import { storageProblem } from "./storage-problem.ts";

/** Problems that are answered while the client may still be sending its body. */
const whileSending: ReadonlySet<ProblemCode> = new Set([
  "BODY_TOO_LARGE",
  "FORK_BODY_TOO_LARGE",
  "FORK_RUN_NOT_ACCEPTED",
  "TOO_BUSY",
]);

/** Answers anything that was thrown. Failures of the service are logged, and their details are not disclosed. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  if (problem && whileSending.has(problem.code)) keepConnection(reply);
  if (problem) return sendProblem(reply, problem);
  request.log.error({ err: error }, "a request failed");
  if (isStorageFault(error)) return sendProblem(reply, storageProblem(error));
  return sendProblem(reply, {
    code: "INTERNAL_ERROR",
    detail: `Something failed on our side. Try again; if it happens again, give the operator of this service the request id ${request.id}.`,
  });
}

/** Returns the problem behind an error; null when the error is a failure of the service. */
function problemOf(error: unknown): Problem | null {
  if (error instanceof ProblemError) return error.problem;
  if (!isFastifyError(error) || !error.statusCode || error.statusCode >= 500) return null;
  switch (error.statusCode) {
    case 413:
      return { code: "BODY_TOO_LARGE", detail: "The body is larger than this path accepts. Send less." };
    case 415:
      return {
        code: "MEDIA_TYPE_NOT_SUPPORTED",
        detail:
          "This path does not accept a body of this type. Send JSON, with the header content-type: application/json.",
      };
    default:
      return { code: "BAD_REQUEST", detail: error.message };
  }
}

/** Fastify's own errors. Their texts contain none of our data. */
function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && "code" in error && /^FST_ERR_/.test(String(error.code));
}

/**
 * Fastify closes the connection when it stops reading a body. If the client is still sending, closing resets the connection,
 * and the client never sees the answer. Without the header the connection stays open, and the rest of the body is discarded.
 */
function keepConnection(reply: FastifyReply): void {
  reply.removeHeader("connection");
}
