import type { FastifyInstance } from "fastify";
import { bucketsOf } from "../../service/metrics/health/health-figures.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { chartsOf, csvOf } from "../health/charts.ts";
import { renderHealth } from "../health/health-page.ts";
import { periodOf } from "../health/period.ts";
import { placeIn } from "./history-pages.ts";
import { queueRoute, serveToMembers, showAbout, type Visit } from "./member-pages.ts";
import { notFound } from "./replies.ts";

const shown = 25;
const route = `${queueRoute}/health`;

const chartAssets = ["uPlot.min.css", "charts.css", "uPlot.iife.min.js", "charts.js"];

/** What a queue did over time, as charts, tables and CSV. */
export function serveHealthPages(app: FastifyInstance, parts: DashboardServices): void {
  const { overview, health, now, historyMs } = parts;

  serveToMembers(app, parts, route, "queue", async (visit) => {
    const measured = await measure(parts, visit);
    if (measured === null) return notFound(visit.reply);
    const { queue } = visit;
    const { period, ...figures } = measured;
    const after = placeIn(visit.request.query);
    const { from, to } = period;
    const any = { outcome: null, author: null, texts: [] };
    const ended = await overview.listEnded(queue, { ...any, since: from, until: to, after, limit: shown });
    const times = ended.entries.map(({ stateChangedAt }) => stateChangedAt);
    const stays = await health.stays(queue, times);
    const view = {
      queue,
      period,
      ...figures,
      ended,
      stays,
      isFirst: after === null,
      keptSince: now() - historyMs,
    };
    return showAbout(visit, "Health", renderHealth(view, now()), { isLive: false, assets: chartAssets });
  });

  serveToMembers(app, parts, `${route}/:chart.csv`, "queue", async (visit) => {
    const { request, reply } = visit;
    const measured = await measure(parts, visit);
    if (measured === null) return notFound(reply);
    const { problem } = measured.period;
    if (problem !== null) return reply.code(400).type("text/plain; charset=utf-8").send(`${problem}\n`);
    const { chart: id } = request.params as { readonly chart: string };
    const chart = measured.charts.find((one) => one.id === id);
    if (!chart) return notFound(reply, "chart");
    reply.header("content-disposition", `attachment; filename="${chart.id}.csv"`);
    return reply.type("text/csv; charset=utf-8").send(csvOf(chart, measured.buckets));
  });
}

/** Null when there is no such queue. */
async function measure({ health, now }: DashboardServices, { request, queue }: Visit) {
  const period = periodOf(request.query, now());
  const report = await health.read(queue, period.from, period.to);
  if (report === null) return null;
  const buckets = bucketsOf(report.steps, period, report.slots);
  return { period, buckets, charts: chartsOf(buckets, now()), until: report.until };
}
