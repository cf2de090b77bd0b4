import type { FastifyInstance } from "fastify";
import { keepVisible } from "../../service/observation/repository-roles.ts";
import type { QueueSummary } from "../../service/queues/queue-overview.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { renderOverview, renderOverviewPage, type ServiceFault } from "../overview-page.ts";
import { overviewLivePath, overviewPath, queuePath } from "../paths.ts";
import type { Viewer } from "../session.ts";
import { administeredBy, organisationsOf } from "./app-pages.ts";
import { askToSignIn, notFound, show } from "./replies.ts";

/** Every change of a queue redraws all open overviews, so changes are collected for this time. */
const gatherMs = 1_000;
/** Shorter than `gatherMs`, so that a reading from before a change is not shown as the state after it. */
const sharedMs = 500;

type Summaries = ReadonlyMap<string, QueueSummary>;

/** All queues in figures, kept up to date. */
export function serveOverview(app: FastifyInstance, parts: DashboardServices): void {
  const { overview, sessions, live, now } = parts;

  const readAll = async (): Promise<Summaries> => {
    const summaries = await overview.summarize(await overview.list());
    return new Map(summaries.map((queue) => [queuePath(queue), queue]));
  };
  /** Pages that are redrawn together share one reading. */
  let shared: { readonly at: number; readonly summaries: Promise<Summaries> } | null = null;
  const readShared = () => {
    if (shared === null || now() - shared.at >= sharedMs || now() < shared.at)
      shared = { at: now(), summaries: readAll() };
    return shared.summaries;
  };

  const contentFor = async (viewer: Viewer, read: () => Promise<Summaries>) => {
    const { visible, isComplete } = await keepVisible(await overview.list(), viewer.mayShow);
    const all = await read();
    const own = await administeredBy(viewer, visible);
    // Doctor reads what GitHub shows to administrators only.
    const summaryOf = (queue: QueueAddress) => {
      const summary = all.get(queuePath(queue));
      return summary === undefined || own.includes(queue) ? summary : { ...summary, diagnosis: null };
    };
    const summaries = visible.flatMap((queue) => summaryOf(queue) ?? []);
    const organisations = await organisationsOf(viewer, own);
    const isAdministrator = organisations.length > 0 || own.length > 0;
    const faults = viewer.actor === null ? [] : faultsOf(parts);
    return renderOverview(summaries, { isComplete, organisations, isAdministrator, faults, now: now() });
  };

  app.get(overviewPath, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    return show(reply, "Queues", renderOverviewPage(await contentFor(viewer, readAll)), viewer);
  });

  app.get(overviewLivePath, async (request, reply) => {
    const content = async () => {
      const viewer = await sessions.viewer(request);
      return viewer && contentFor(viewer, readShared);
    };
    if ((await content()) === null) return notFound(reply, "page");
    return live.open(overviewPath, reply, content, { gatherMs, onlyRows: true });
  });
}

/** Known faults of the whole service. Makes no call to GitHub. */
function faultsOf({ knownApp, databaseDamage }: DashboardServices): readonly ServiceFault[] {
  const { fault } = knownApp();
  const damage = databaseDamage();
  return [
    ...(fault === null ? [] : [{ name: "App", text: fault.problem }]),
    ...(damage === null
      ? []
      : [{ name: "database", text: `The file of the database is damaged: ${damage}` }]),
  ];
}
