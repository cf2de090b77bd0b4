import type { FastifyInstance } from "fastify";
import { nameKey } from "../../engine/model/names.ts";
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
    const isAdministrator =
      administered.length > 0 || (await organisationsOf(viewer, administered)).length > 0;
    if (!isAdministrator) return notFound(reply, "page");
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
  return keepTrue(queues, ({ repo }) => viewer.mayAdministrate(repo));
}

/**
 * The organisations that a viewer may administer, as far as GitHub tells, in lower case.
 *
 * @param administered the queues that the viewer administers: owners of an organisation administer all of its repositories
 */
export async function organisationsOf(
  viewer: Viewer,
  administered: readonly QueueAddress[],
): Promise<readonly string[]> {
  const owners = administered.map(({ repo }) => nameKey(repo.owner));
  const asked = new Set([...(viewer.organisation === null ? [] : [viewer.organisation]), ...owners]);
  return keepTrue([...asked].sort(), (name) => viewer.mayAdministrateOrganisation(name));
}

async function keepTrue<T>(all: readonly T[], test: (one: T) => Promise<boolean>): Promise<readonly T[]> {
  const answers = await Promise.allSettled(all.map(test));
  return all.filter((_, index) => {
    const answer = answers[index];
    return answer?.status === "fulfilled" && answer.value;
  });
}
