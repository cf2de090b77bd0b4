import type { FastifyInstance } from "fastify";
import { keepVisible } from "../../service/observation/repository-roles.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { renderApp } from "../app-page.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { appPath } from "../paths.ts";
import type { Viewer } from "../session.ts";
import { askToSignIn, notFound, overviewCrumb, show } from "./replies.ts";

/** The GitHub App, for those who administer a repository with a queue. */
export function serveAppPage(app: FastifyInstance, parts: DashboardServices): void {
  const { overview, knownApp, signIn, sessions, now } = parts;
  app.get(appPath, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    if (viewer === null || viewer.actor === null) return askToSignIn(request, reply);
    const { visible } = await keepVisible(await overview.list(), viewer.mayShow);
    const administered = await administeredBy(viewer, visible);
    if (administered.length === 0 && !viewer.organisation?.isAdministered) return notFound(reply, "page");
    const queues = await overview.summarize(administered);
    const body = renderApp({ known: knownApp(), hasSignIn: signIn !== null, queues, now: now() });
    return show(reply, "GitHub App", body, viewer, { isLive: false, crumbs: [overviewCrumb] });
  });
}

/** Selects the queues whose repositories a viewer administers, as far as GitHub tells. */
export async function administeredBy(
  viewer: Viewer,
  queues: readonly QueueAddress[],
): Promise<readonly QueueAddress[]> {
  const answers = await Promise.allSettled(queues.map(({ repo }) => viewer.mayAdministrate(repo)));
  return queues.filter((_, index) => {
    const answer = answers[index];
    return answer?.status === "fulfilled" && answer.value;
  });
}
