import type { IncomingMessage, ServerResponse } from "node:http";
import { type GitHttp, parseGitRequest } from "./git-http/git-http.ts";
import { type GraphqlApi, isGraphqlPath } from "./graphql/graphql-api.ts";
import type { Pages } from "./pages/pages.ts";
import type { RestApi } from "./rest/rest-api.ts";

/** What answers over HTTP. */
export interface Surface {
  readonly git: GitHttp;
  readonly graphql: GraphqlApi;
  readonly pages: Pages;
  readonly rest: RestApi;
}

/** Answers a request by Git, an API, or a page, by its path. */
export function serveRequest(
  { git, graphql, pages, rest }: Surface,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET" } = request;
  const url = new URL(request.url ?? "/", "http://sandbox");
  const gitRequest = parseGitRequest(method, url);
  if (gitRequest !== null) return git.serve(request, response, gitRequest);
  if (isGraphqlPath(url.pathname)) return graphql.serve(request, response);
  const page = pages.parse(method, url.pathname);
  if (page !== null) return pages.serve(request, response, page);
  const pathname = url.pathname.replace(/^\/api\/v3(?=\/|$)/, "") || "/";
  return rest.serve(request, response, pathname, url.search);
}
