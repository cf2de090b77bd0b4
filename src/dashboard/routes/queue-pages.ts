import type { FastifyInstance } from "fastify";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { DashboardParts } from "../dashboard-parts.ts";
import { renderDoctor } from "../doctor-page.ts";
import { renderGivenUp } from "../given-up.ts";
import { renderHome } from "../home-page.ts";
import { ownPath } from "../paths.ts";
import { memberLinks, publicLinks, queuePath, renderQueue, renderQueuePage } from "../queue-page.ts";
import type { Viewer } from "../session.ts";
import { controlsOf } from "./control-routes.ts";
import { addressOf, askToSignIn, notFound, show, showLogin } from "./replies.ts";

const needsAdministrator =
  "This page is for administrators of the repository: sign in as one of them, or with an API token of its organisation that has the scopes read and queue:admin.";
const endedShown = 25;
const givenUpShown = 25;

const queueRoute = "/queues/:host/:owner/:name/:branch";

/** The list of queues, and for each queue a page that is kept up to date, and an examination of its setup. */
export function serveQueuePages(app: FastifyInstance, parts: DashboardParts): void {
  const { queues, sessions, live } = parts;

  app.get("/", async (request, reply) => {
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    const all = await queues.listQueues();
    const shown = await Promise.all(all.map(({ repo }) => viewer.mayShow(repo)));
    const visible = all.filter((_queue, index) => shown[index]);
    return show(reply, "Queues", renderHome(visible), viewer);
  });

  app.get(queueRoute, async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    const content = await contentFor(parts, viewer, queue);
    // Nobody who has not signed in learns which queues exist.
    if (content === null) return viewer ? notFound(reply) : askToSignIn(request, reply);
    return show(reply, fullName(queue), renderQueuePage(queue, content), viewer);
  });

  app.get(`${queueRoute}/live`, async (request, reply) => {
    const queue = addressOf(request);
    const content = async () => contentFor(parts, await sessions.viewer(request), queue);
    if ((await content()) === null) return notFound(reply);
    return live.open(queuePath(queue).toLowerCase(), reply, content);
  });

  serveDoctor(app, parts);
}

function serveDoctor(app: FastifyInstance, { queues, doctor, sessions }: DashboardParts): void {
  app.get(`${queueRoute}/doctor`, async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    if (!(await viewer.mayShow(queue.repo)) || !(await queues.readQueue(queue)).ok) return notFound(reply);
    // Only administrators may start an examination, because it makes calls to GitHub.
    if (!(await viewer.mayAdministrate(queue.repo))) {
      const login = { problem: needsAdministrator, next: ownPath(request.url), scopes: "read,queue:admin" };
      return showLogin(reply.code(403), login, viewer);
    }
    const examined = await doctor.examine(queue);
    if (!examined.ok) return notFound(reply);
    return show(reply, `Doctor · ${fullName(queue)}`, renderDoctor(queue, examined.value), viewer);
  });
}

/** Returns null when the viewer may not see the queue, or when there is none. */
async function contentFor(
  parts: DashboardParts,
  viewer: Viewer | null,
  queue: QueueAddress,
): Promise<string | null> {
  const { queues, givenUp, now } = parts;
  const isMember = (await viewer?.mayShow(queue.repo)) ?? false;
  if (!isMember && !(await queues.isPagePublic(queue))) return null;
  const view = await queues.readQueue(queue);
  if (!view.ok) return null;
  const ended = await queues.recentlyEnded(queue, endedShown);
  if (!isMember) return renderQueue(view.value, ended, now(), publicLinks);
  const lost = renderGivenUp(await givenUp.ofRepository(queue.repo, givenUpShown), now());
  const controls = await controlsOf(parts, viewer, queue, queuePath(queue));
  return renderQueue(view.value, ended, now(), memberLinks(queue), controls) + lost;
}

function fullName({ repo }: QueueAddress): string {
  return `${repo.owner}/${repo.name}`;
}
