import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import type { StorageFault } from "../../ports/storage-fault.ts";
import { isStorageFault } from "../../service/workers/retry.ts";
import { type Problem, type ProblemCode, ProblemError, problemKinds, renderProblem } from "./problem.ts";

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

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problemKinds[problem.code].status)
    .headers({ ...problem.headers })
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(renderProblem(problem, reply.request.id)));
}

/** The answer while nothing can be stored, or not everything can be read. */
export function storageProblem({ code }: StorageFault): Problem {
  const effect =
    code === "DATABASE_CORRUPT" ? "Restore a backup" : "Nothing can be stored until this is fixed";
  return {
    code,
    detail: `${problemKinds[code].title}. ${effect}. The log has the details.`,
    headers: { "retry-after": "1" },
  };
}

/** Answers 405 for a path that is served with other methods, else 404. */
export function handleUnknownPath(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [url = "/"] = request.url.split("?");
  const { server, method } = request;
  const allowed = server.supportedMethods.filter((served) => {
    const route = server.findRoute({ method: served, url });
    // The route that handles unknown paths does not count.
    return route && !("*" in route.params);
  });
  if (allowed.length === 0) {
    return sendProblem(reply, {
      code: "PATH_NOT_FOUND",
      detail: "Nothing is served at this path. The API's paths begin with /v1/, as in /v1/getQueue.",
    });
  }
  return sendProblem(reply, {
    code: "METHOD_NOT_ALLOWED",
    detail: `This path does not serve ${method}. Use ${allowed.join(" or ")}.`,
    headers: { allow: allowed.join(", ") },
  });
}

/** A field that Node keeps on a socket: the answer in progress. */
interface Answering {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/** Answers input that never becomes a request: headers that are too large or too slow, or data that is not HTTP. */
export function handleClientError(
  error: Error & { readonly code?: string },
  socket: Socket,
  newRequestId: () => string,
): void {
  const answering = (socket as Answering)._httpMessage?.headersSent ?? false;
  if (error.code === "ECONNRESET" || !socket.writable || answering) {
    socket.destroy();
    return;
  }
  socket.end(renderHttpAnswer(clientProblem(error.code), newRequestId()), () => socket.destroy());
}

function clientProblem(code: string | undefined): Problem {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        code: "HEADERS_TOO_LARGE",
        detail: "The headers are larger than 16 KiB. Send fewer or shorter ones.",
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        code: "REQUEST_TIMEOUT",
        detail: "The request did not arrive in time. Send it again, over a faster connection.",
      };
    default:
      return { code: "BAD_REQUEST", detail: "This is not a valid HTTP request. Send valid HTTP/1.1." };
  }
}

function renderHttpAnswer(problem: Problem, id: string): string {
  const { status } = problemKinds[problem.code];
  const body = JSON.stringify(renderProblem(problem, id));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/problem+json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
