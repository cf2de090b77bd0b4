import type { FastifyInstance } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { renderPast } from "../past/past-page.ts";
import { readWindow } from "../past/past-window.ts";
import { tracksAssets } from "../queue/tracks.ts";
import { accessTo } from "./access.ts";
import { hide, queueRoute, showAbout } from "./member-pages.ts";
import { addressOf, notFound } from "./replies.ts";

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
    const window = readWindow(request.query, now());
    const [read, marks] = await Promise.all([past.read(queue, window.at), past.marks(queue, window)]);
    if (!read.ok || !marks.ok) return notFound(reply);
    const body = renderPast(queue, window, {
      queue: read.value === "unprepared" ? null : read.value,
      marks: marks.value === "unprepared" ? null : marks.value,
    });
    return showAbout({ reply, viewer, queue }, "Past", body, { assets: pastAssets });
  });
}
