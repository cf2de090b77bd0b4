import type { FastifyInstance, FastifyRequest } from "fastify";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { renderDoctor } from "../doctor-page.ts";
import { renderGivenUp } from "../given-up.ts";
import { renderPast } from "../past/past-page.ts";
import { readPlace, readWindow, sinceCreation } from "../past/past-window.ts";
import { queuePath } from "../paths.ts";
import {
  type ListPlaces,
  memberLinks,
  publicLinks,
  renderQueue,
  renderQueuePage,
} from "../queue/queue-page.ts";
import { tracksAssets } from "../queue/tracks.ts";
import type { Viewer } from "../session.ts";
import { accessTo } from "./access.ts";
import { controlsOf } from "./control-routes.ts";
import { hide, queueRoute, serveToAdministrators, showAbout } from "./member-pages.ts";
import { addressOf, fullName, notFound, overviewCrumb, show } from "./replies.ts";

const endedShown = 10;
const givenUpShown = 25;

/** For each queue a page that is kept up to date, and an examination of its setup. */
export function serveQueuePages(app: FastifyInstance, parts: DashboardServices): void {
  const { sessions, live } = parts;

  app.get(queueRoute, async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    const places = placesIn(request);
    const content = await contentFor(parts, viewer, queue, places);
    if (content === null) return hide(request, reply, viewer);
    const frame = { assets: tracksAssets, crumbs: viewer ? [overviewCrumb] : [] };
    return show(reply, fullName(queue.repo), renderQueuePage(queue, places, content), viewer, frame);
  });

  app.get(`${queueRoute}/live`, async (request, reply) => {
    const queue = addressOf(request);
    const content = async () => contentFor(parts, await sessions.viewer(request), queue, placesIn(request));
    if ((await content()) === null) return notFound(reply);
    return live.open(queuePath(queue).toLowerCase(), reply, content);
  });

  serveToAdministrators(app, parts, `${queueRoute}/doctor`, async (visit) => {
    const examined = await parts.doctor.examine(visit.queue);
    if (!examined.ok) return notFound(visit.reply);
    return showAbout(visit, "Doctor", renderDoctor(visit.queue, examined.value));
  });
}

function placesIn({ query }: FastifyRequest): ListPlaces {
  const { from, notReadyFrom } = query as Partial<Record<keyof ListPlaces, unknown>>;
  return { from: readPlace(from), notReadyFrom: readPlace(notReadyFrom) };
}

/** Returns null when the viewer may not see the queue, or when there is none. */
async function contentFor(
  parts: DashboardServices,
  viewer: Viewer | null,
  queue: QueueAddress,
  places: ListPlaces,
): Promise<string | null> {
  const { queues, givenUp, nextSteps, now } = parts;
  const { commandPrefix } = nextSteps;
  const access = await accessTo(queues, viewer, queue);
  if (access === null) return null;
  const view = await queues.readQueue(queue);
  if (!view.ok) return null;
  const ended = await queues.recentlyEnded(queue, endedShown);
  if (access === "public")
    return renderQueue(view.value, ended, now(), {
      links: publicLinks,
      controls: null,
      commandPrefix,
      places,
    });
  const lost = renderGivenUp(await givenUp.ofRepository(queue.repo, givenUpShown), now());
  const links = memberLinks(queue, (await viewer?.mayAdministrate(queue.repo)) ?? false);
  const controls = await controlsOf(parts, viewer, queue, queuePath(queue));
  return renderQueue(view.value, ended, now(), { links, controls, commandPrefix, places }) + lost;
}

const pastAssets = [...tracksAssets, "past.css", "past.js"];

/** A page for each queue that shows it at a past moment. Access is the same as to the queue's page. */
export function servePastPages(
  app: FastifyInstance,
  { queues, past, sessions, now }: DashboardServices,
): void {
  app.get(`${queueRoute}/past`, async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    if ((await accessTo(queues, viewer, queue)) === null) return hide(request, reply, viewer);
    const asked = readWindow(request.query, now());
    const read = await past.read(queue, asked.at, asked.place);
    if (!read.ok) return notFound(reply);
    const window = read.value === "unprepared" ? asked : sinceCreation(asked, read.value.createdAt);
    const marks = await past.marks(queue, window);
    if (!marks.ok) return notFound(reply);
    const body = renderPast(queue, window, {
      queue: read.value === "unprepared" ? null : read.value,
      marks: marks.value === "unprepared" ? null : marks.value,
    });
    return showAbout({ reply, viewer, queue }, "Past", body, { assets: pastAssets });
  });
}
