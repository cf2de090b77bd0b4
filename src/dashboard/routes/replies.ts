import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { type Login, renderLogin } from "../home-page.ts";
import { type Crumb, type Frame, renderPage } from "../page.ts";
import { loginPath, ownPath, queuePath, signInPath } from "../paths.ts";
import { type Viewer, viewerOf } from "../session.ts";

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
  return reply.type(pageType).send(pageOf(reply, title, body, viewer, frame));
}

/** Shows a page whose body is sent part by part, so that the browser shows the first parts while the next ones are computed. */
export function showParts(
  reply: FastifyReply,
  title: string,
  parts: AsyncIterable<string>,
  viewer: Viewer | null,
  frame: Frame = {},
): FastifyReply {
  const place = "<!-- the parts -->";
  const [before, after] = pageOf(reply, title, place, viewer, frame).split(place);
  async function* page() {
    yield before;
    yield* parts;
    yield after;
  }
  // Proxies would otherwise collect the parts.
  reply.header("x-accel-buffering", "no");
  return reply.type(pageType).send(Readable.from(page()));
}

function pageOf(
  reply: FastifyReply,
  title: string,
  body: string,
  viewer: Viewer | null | undefined,
  frame: Frame,
): string {
  const search = viewer ? "" : null;
  const next = encodeURIComponent(ownPath(reply.request.url));
  const signIn = `${hasGitHub(reply) ? signInPath : loginPath}?next=${next}`;
  const visit = viewer ? { name: viewer.name, signIn } : null;
  const result = reply.request.cookies[resultCookie] ?? null;
  if (result !== null) reply.clearCookie(resultCookie, resultAttributes);
  return renderPage(title, body, { visit, search, result, ...frame });
}

export const overviewCrumb: Crumb = { path: "/", text: "Queues" };

/** The pages above a page about a queue. */
export function crumbsOf(queue: QueueAddress): readonly Crumb[] {
  return [overviewCrumb, { path: queuePath(queue), text: `${fullName(queue.repo)} ${queue.branch}` }];
}

export function fullName({ owner, name }: RepositoryRef): string {
  return `${owner}/${name}`;
}

/** Not a part of the address, because a link could then make our pages show any text. */
const resultCookie = "trainyard_result";
const resultAttributes = { httpOnly: true, sameSite: "lax", secure: "auto", path: "/" } as const;
/** Browsers drop cookies above 4 KiB. */
const longestResult = 1_000;

/** Leads to a page of ours, which shows what a form has done. */
export function showResult(reply: FastifyReply, path: string, result: string): FastifyReply {
  reply.setCookie(resultCookie, result.slice(0, longestResult), { ...resultAttributes, maxAge: 60 });
  return reply.redirect(path, 303);
}

export function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return showLogin(reply.code(401), { next: ownPath(request.url) });
}

/** Shows the form for signing in, with what the service is set up for. */
export function showLogin(
  reply: FastifyReply,
  login: Omit<Login, "hasGitHub"> & Partial<Pick<Login, "hasGitHub">>,
  viewer?: Viewer | null,
): FastifyReply {
  return show(reply, "Sign in", renderLogin({ hasGitHub: hasGitHub(reply), ...login }), viewer);
}

function hasGitHub({ server }: FastifyReply): boolean {
  return server.hasRoute({ method: "GET", url: signInPath });
}

/** The same page for missing objects and for those that the viewer may not see. */
export function notFound(reply: FastifyReply, what = "queue"): FastifyReply {
  const body = `<main><h1>Not found</h1><section><p class="empty">There is no such ${what}, or you may not see it. <a href="/">The queues that you may see</a></p></section></main>`;
  return show(reply.code(404), "Not found", body, viewerOf(reply.request));
}
