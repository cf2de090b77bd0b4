import type { FastifyInstance } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { renderPast } from "../past/past-page.ts";
import { readWindow } from "../past/past-window.ts";
import { tracksAssets } from "../queue/tracks.ts";
import { accessTo } from "./access.ts";
import { addressOf, askToSignIn, crumbsOf, fullName, notFound, show } from "./replies.ts";

/** A page for each queue that shows it at a past moment. Access is the same as to the queue's page. */
export function servePastPages(
  app: FastifyInstance,
  { queues, past, sessions, now }: DashboardServices,
): void {
  app.get("/queues/:host/:owner/:name/:branch/past", async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    const isVisible = (await accessTo(queues, viewer, queue)) !== null;
    if (!isVisible) return viewer ? notFound(reply) : askToSignIn(request, reply);
    const window = readWindow(request.query, now());
    const [read, marks] = await Promise.all([past.read(queue, window.at), past.marks(queue, window)]);
    if (!read.ok || !marks.ok) return notFound(reply);
    const body = renderPast(queue, window, {
      queue: read.value === "unprepared" ? null : read.value,
      marks: marks.value === "unprepared" ? null : marks.value,
    });
    const frame = { assets: [...tracksAssets, "past.css", "past.js"], crumbs: crumbsOf(queue) };
    return show(reply, `Past · ${fullName(queue.repo)}`, body, viewer, frame);
  });
}
