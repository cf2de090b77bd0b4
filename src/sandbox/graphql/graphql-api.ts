import type { IncomingMessage, ServerResponse } from "node:http";
import type { Violation } from "../violation.ts";

/** Where GitHub Enterprise Server and github.com have GraphQL. */
export const isGraphqlPath = (pathname: string): boolean =>
  pathname === "/api/graphql" || pathname === "/graphql";

/** GraphQL is not implemented: every query is answered 501 and reported. */
export function serveGraphql(
  request: IncomingMessage,
  response: ServerResponse,
  report: (violation: Violation) => void,
): void {
  request.resume();
  report({ kind: "unimplemented", subject: "graphql", detail: `${request.method} ${request.url}` });
  response
    .writeHead(501, { "content-type": "application/json; charset=utf-8" })
    .end(JSON.stringify({ message: "The sandbox does not implement GraphQL." }));
}
