import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { bucketsOf } from "../../service/metrics/health/health-figures.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { chartsOf, csvOf } from "../health/charts.ts";
import { renderHealth } from "../health/health-page.ts";
import { periodOf } from "../health/period.ts";
import { placeIn } from "./history-pages.ts";
import { addressOf, askToSignIn, crumbsOf, fullName, notFound, show } from "./replies.ts";

const shown = 25;
const route = "/queues/:host/:owner/:name/:branch/health";

const chartAssets = ["uPlot.min.css", "charts.css", "uPlot.iife.min.js", "charts.js"];

/** What a queue did over time, as charts, tables and CSV. */
export function serveHealthPages(app: FastifyInstance, parts: DashboardServices): void {
  const { overview, health, now } = parts;

  app.get(route, async (request, reply) => {
    const measured = await measure(parts, request, reply);
    if (measured === null) return reply;
    const { queue, viewer, period, ...figures } = measured;
    const after = placeIn(request.query);
    const { from, to } = period;
    const any = { outcome: null, author: null, texts: [] };
    const ended = await overview.listEnded(queue, { ...any, since: from, until: to, after, limit: shown });
    const times = ended.entries.map(({ stateChangedAt }) => stateChangedAt);
    const stays = await health.stays(queue, times);
    const view = { queue, period, ...figures, ended, stays, isFirst: after === null };
    const frame = { isLive: false, assets: chartAssets, crumbs: crumbsOf(queue) };
    return show(reply, `Health · ${fullName(queue.repo)}`, renderHealth(view, now()), viewer, frame);
  });

  app.get(`${route}/:chart.csv`, async (request, reply) => {
    const measured = await measure(parts, request, reply);
    if (measured === null) return reply;
    const { chart: id } = request.params as { readonly chart: string };
    const chart = measured.charts.find((one) => one.id === id);
    if (!chart) return notFound(reply, "chart");
    reply.header("content-disposition", `attachment; filename="${chart.id}.csv"`);
    return reply.type("text/csv; charset=utf-8").send(csvOf(chart, measured.buckets));
  });
}

/** Null = the reply says why not. */
async function measure(
  { sessions, health, now }: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const queue = addressOf(request);
  const viewer = await sessions.viewer(request);
  if (!viewer) {
    askToSignIn(request, reply);
    return null;
  }
  const period = periodOf(request.query, now());
  const report = (await viewer.mayShow(queue.repo)) ? await health.read(queue, period.from, period.to) : null;
  if (report === null) {
    notFound(reply);
    return null;
  }
  const buckets = bucketsOf(report.steps, period, report.slots);
  return { queue, viewer, period, buckets, charts: chartsOf(buckets, now()), until: report.until };
}
