import type { FastifyReply, FastifyRequest } from "fastify";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { renderLogin } from "../home-page.ts";
import { type Crumb, type Frame, renderPage } from "../page.ts";
import { ownPath, queuePath } from "../paths.ts";
import type { Viewer } from "../session.ts";

const pageType = "text/html; charset=utf-8";

/** The queue, or only the repository, that the path of a page names. */
export function addressOf(request: FastifyRequest): QueueAddress {
  const { host = "", owner = "", name = "", branch = "" } = request.params as Record<string, string>;
  return { repo: { host, owner, name }, branch };
}

export function show(
  reply: FastifyReply,
  title: string,
  body: string,
  viewer?: Viewer | null,
  frame: Frame = {},
): FastifyReply {
  const search = viewer ? "" : null;
  return reply
    .type(pageType)
    .send(renderPage(title, body, { canSignOut: viewer?.canSignOut ?? false, search, ...frame }));
}

export const overviewCrumb: Crumb = { path: "/", text: "Queues" };

/** The pages above a page about a queue. */
export function crumbsOf(queue: QueueAddress): readonly Crumb[] {
  return [overviewCrumb, { path: queuePath(queue), text: `${fullName(queue.repo)} ${queue.branch}` }];
}

export function fullName({ owner, name }: RepositoryRef): string {
  return `${owner}/${name}`;
}

export function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return show(reply.code(401), "Sign in", renderLogin(null, ownPath(request.url)));
}

export function notFound(reply: FastifyReply, what = "queue"): FastifyReply {
  const body = `<main><h1>Not found</h1><section><p class="empty">There is no such ${what}.</p></section></main>`;
  return show(reply.code(404), "Not found", body);
}
