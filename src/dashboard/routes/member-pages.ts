import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { QueueView } from "../../service/runtime/views.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import type { Frame } from "../page.ts";
import { ownPath } from "../paths.ts";
import type { Viewer } from "../session.ts";
import { addressOf, askToSignIn, crumbsOf, fullName, notFound, show, showLogin } from "./replies.ts";

export const queueRoute = "/queues/:host/:owner/:name/:branch";

/** A request for a page by somebody who may see the repository that the page is about. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly viewer: Viewer;
  /** The queue may not exist. Where the path names only a repository, the branch is empty. */
  readonly queue: QueueAddress;
}

const needsAdministrator =
  "This page is for administrators of the repository: sign in as one of them, or with an API token of its organisation that has the scopes read and queue:admin.";

/**
 * Serves a page about a repository to those who may see it. Others get the same answer as if it did not exist.
 *
 * @param what the kind of object that does not exist
 */
export function serveToMembers(
  app: FastifyInstance,
  { sessions }: Pick<DashboardServices, "sessions">,
  route: string,
  what: string,
  answer: (visit: Visit) => Promise<FastifyReply>,
): void {
  app.get(route, async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    return (await viewer.mayShow(queue.repo))
      ? answer({ request, reply, viewer, queue })
      : notFound(reply, what);
  });
}

/** Serves a page about a queue to administrators of its repository, because it costs calls to GitHub or processor time. */
export function serveToAdministrators(
  app: FastifyInstance,
  services: Pick<DashboardServices, "sessions" | "queues">,
  route: string,
  answer: (visit: Visit, view: QueueView) => Promise<FastifyReply>,
): void {
  serveToMembers(app, services, route, "queue", async (visit) => {
    const { request, reply, viewer, queue } = visit;
    const view = await services.queues.readQueue(queue);
    if (!view.ok) return notFound(reply);
    if (await viewer.mayAdministrate(queue.repo)) return answer(visit, view.value);
    const login = { problem: needsAdministrator, next: ownPath(request.url), scopes: "read,queue:admin" };
    return showLogin(reply.code(403), login, viewer);
  });
}

/** Shows a page below the page of a queue. */
export function showAbout(
  { reply, viewer, queue }: Omit<Visit, "request" | "viewer"> & { readonly viewer: Viewer | null },
  title: string,
  body: string,
  frame: Frame = { isLive: false },
): FastifyReply {
  const whole = `${title} · ${fullName(queue.repo)}`;
  return show(reply, whole, body, viewer, { ...frame, crumbs: crumbsOf(queue) });
}

/** Hides from visitors who have not signed in which queues and pull requests exist. */
export function hide(request: FastifyRequest, reply: FastifyReply, viewer: Viewer | null, what?: string) {
  return viewer ? notFound(reply, what) : askToSignIn(request, reply);
}
