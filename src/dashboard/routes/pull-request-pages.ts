import type { FastifyInstance, FastifyRequest } from "fastify";
import { testedSha } from "../../engine/model/test-run.ts";
import type { EntryStory } from "../../service/queues/entry-stories.ts";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { pullRequestPath, queuePath } from "../paths.ts";
import { renderStory, renderStoryPage } from "../pull-request/pull-request-page.ts";
import type { RunReports } from "../pull-request/test-runs.ts";
import type { Viewer } from "../session.ts";
import { accessTo } from "./access.ts";
import { controlsOf } from "./control-routes.ts";
import { hide, queueRoute } from "./member-pages.ts";
import { addressOf, crumbsOf, notFound, show } from "./replies.ts";

const route = `${queueRoute}/pulls/:number`;

/** For each pull request that is or was in a queue, a page that is kept up to date. */
export function servePullRequestPages(app: FastifyInstance, parts: DashboardServices): void {
  const { sessions, live } = parts;

  app.get(route, async (request, reply) => {
    const viewer = await sessions.viewer(request);
    const pr = numberIn(request);
    const read = await contentFor(parts, viewer, request);
    if (read === null || pr === null) return hide(request, reply, viewer, "pull request");
    const queue = addressOf(request);
    const page = renderStoryPage(queue, pr, read.content);
    return show(reply, `#${pr} ${read.title}`, page, viewer, { crumbs: crumbsOf(queue) });
  });

  app.get(`${route}/live`, async (request, reply) => {
    const content = async () =>
      (await contentFor(parts, await sessions.viewer(request), request))?.content ?? null;
    if ((await content()) === null) return notFound(reply, "pull request");
    return live.open(queuePath(addressOf(request)).toLowerCase(), reply, content);
  });
}

/** Returns null when the viewer may not see the queue, or when the pull request was never in it. */
async function contentFor(parts: DashboardServices, viewer: Viewer | null, request: FastifyRequest) {
  const { queues, nextSteps, now } = parts;
  const queue = addressOf(request);
  const pr = numberIn(request);
  const access = await accessTo(queues, viewer, queue);
  if (access === null || pr === null) return null;
  const read = await queues.readStory({ ...queue, pr });
  if (!read.ok) return null;
  const reports = access === "member" ? await reportsOf(parts, queue, read.value) : null;
  const controls = await controlsOf(parts, viewer, queue, pullRequestPath(queue, pr));
  const context = { reports, commandPrefix: nextSteps.commandPrefix, controls, now: now() };
  return { title: read.value.view.entry.title, content: renderStory(read.value, context) };
}

async function reportsOf(
  { knownTests, failures }: DashboardServices,
  queue: QueueAddress,
  { repo, runs }: EntryStory,
): Promise<RunReports> {
  const byRun = runs.map(async ({ run }) => {
    const sha = testedSha(run);
    return [run.id, sha === null ? [] : await knownTests.reportsOn(repo, sha)] as const;
  });
  const tests = new Map(await Promise.all(byRun));
  const hasFailedTests = (id: string) => tests.get(id)?.some(({ failed }) => failed.length > 0);
  const unexplained = runs.flatMap(({ run }) => (hasFailedTests(run.id) ? [] : [run]));
  return { tests, failures: await failures.read(queue, unexplained) };
}

function numberIn(request: FastifyRequest): number | null {
  const { number = "" } = request.params as Record<string, string>;
  return /^[1-9]\d{0,9}$/.test(number) ? Number(number) : null;
}
