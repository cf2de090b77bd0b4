import type { FastifyReply, FastifyRequest } from "fastify";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { renderLogin } from "../home-page.ts";
import { renderPage } from "../page.ts";
import { ownPath } from "../paths.ts";
import type { Viewer } from "../session.ts";

export const pageType = "text/html; charset=utf-8";

/** The queue, or only the repository, that the path of a page names. */
export function addressOf(request: FastifyRequest): QueueAddress {
  const { host = "", owner = "", name = "", branch = "" } = request.params as Record<string, string>;
  return { repo: { host, owner, name }, branch };
}

export function show(reply: FastifyReply, title: string, body: string, viewer?: Viewer | null): FastifyReply {
  return reply.type(pageType).send(renderPage(title, body, { canSignOut: viewer?.canSignOut ?? false }));
}

export function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return show(reply.code(401), "Sign in", renderLogin(null, ownPath(request.url)));
}

export function notFound(reply: FastifyReply, what = "queue"): FastifyReply {
  const body = `<main><section><p class="empty">There is no such ${what}.</p></section></main>`;
  return show(reply.code(404), "Not found", body);
}
