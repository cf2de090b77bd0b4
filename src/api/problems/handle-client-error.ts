import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { type Problem, problemKinds, renderProblem } from "./problem.ts";

/** A field that Node keeps on a socket: the answer that is being written to it. */
interface Answering {
  readonly _httpMessage?: { readonly headersSent: boolean } | null;
}

/** Answers input that never becomes a request for a handler: headers that are too large or too slow, or no HTTP. */
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
  socket.end(render(problemOf(error.code), newRequestId()), () => socket.destroy());
}

function problemOf(code: string | undefined): Problem {
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

function render(problem: Problem, id: string): string {
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
