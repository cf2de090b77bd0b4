import type { FastifyInstance } from "fastify";
import type { QueueAddress } from "../../service/runtime/directory.ts";
import { isCodeHostFailure } from "../../service/workers/retry.ts";
import { type Action, isQueueAction, parseAction, pricedActions } from "../controls/action.ts";
import { actorOf, carryOutAction, noteForbidden } from "../controls/carry-out.ts";
import { type Controls, renderConfirmation } from "../controls/controls.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { renderForbidden } from "../home-page.ts";
import { ownPath, queuePath } from "../paths.ts";
import type { Viewer } from "../session.ts";
import { acceptForm } from "./csrf.ts";
import { queueRoute } from "./member-pages.ts";
import { addressOf, crumbsOf, notFound, show, showResult } from "./replies.ts";

type Queues = Pick<DashboardServices, "queues">;

/** Returns the controls that a viewer sees on a page about a queue; null when there are none. */
export async function controlsOf(
  { queues }: Queues,
  viewer: Viewer | null,
  queue: QueueAddress,
  page: string,
): Promise<Controls | null> {
  if (!viewer?.formToken) return null;
  try {
    const [mayAdministrate, mayChange] = await Promise.all([
      viewer.mayAdministrate(queue.repo),
      viewer.entryRights(queue.repo, () => queues.permissionToSubmit(queue)),
    ]);
    return { path: actionsPath(queue), page, formToken: viewer.formToken, mayAdministrate, mayChange };
  } catch (error) {
    // A public page is shown even while GitHub does not say what the viewer may change.
    if (isCodeHostFailure(error)) return null;
    throw error;
  }
}

function actionsPath(queue: QueueAddress): string {
  return `${queuePath(queue)}/actions`;
}

/** The forms that change queues and what is in them: the first answer says what an action would do, the second one does it. */
export function serveControls(app: FastifyInstance, parts: DashboardServices): void {
  const { queues } = parts;
  acceptForm(app, parts, `${queueRoute}/actions`, async ({ request, reply, viewer, fields }) => {
    const queue = addressOf(request);
    if (!(await queues.readQueue(queue)).ok) return notFound(reply);
    const { formToken, actor: by } = viewer;
    const page = ownPath(fields.next);
    const action = parseAction(fields);
    if (typeof action === "string")
      return (await viewer.mayShow(queue.repo)) ? showResult(reply, page, action) : notFound(reply);
    const asked = { queue, action, by, from: request };
    if (!(await mayCarryOut(parts, viewer, queue, action))) {
      const code = by.kind === "token" ? "SCOPE_MISSING" : "PERMISSION_TOO_LOW";
      await noteForbidden(parts, asked, code);
      if (!(await viewer.mayShow(queue.repo))) return notFound(reply);
      return show(reply.code(403), "Refused", renderForbidden(code), viewer);
    }
    const isIncomplete = action.name === "pause" && action.reason === null;
    if (fields.confirmed === "yes" && !isIncomplete)
      return showResult(reply, page, await carryOutAction(parts, asked));
    const priced = await queues.price({ ...queue, actions: pricedActions(action, actorOf(by)) });
    if (!priced.ok) return notFound(reply);
    const confirmation = {
      action,
      branch: queue.branch,
      price: priced.value,
      titles: await titlesOf(parts, queue, action),
      problem:
        fields.confirmed === "yes" ? "Say why the queue is paused: others read it while they wait." : null,
    };
    const body = renderConfirmation({ path: actionsPath(queue), page, formToken }, confirmation);
    return show(reply, "Confirm", body, viewer, { isLive: false, crumbs: crumbsOf(queue) });
  });
}

/**
 * Whether the viewer may do this now; the page with the form may be outdated. GitHub is asked only about viewers who seem to have the
 * right, so that others cannot use up its rate limit.
 */
async function mayCarryOut(
  { queues }: Queues,
  viewer: Viewer,
  queue: QueueAddress,
  action: Action,
): Promise<boolean> {
  if (isQueueAction(action))
    return (await viewer.mayAdministrate(queue.repo)) && viewer.mayAdministrate(queue.repo, true);
  const found = await queues.readEntries({ ...queue, prs: action.prs });
  const authors = found.ok ? found.value.entries.map(({ entry }) => entry.author) : [];
  // A pull request that was never submitted here has no known author.
  const all = authors.length === action.prs.length ? authors : [...authors, ""];
  const mayChangeAll = async (isFresh: boolean) =>
    all.every(await viewer.entryRights(queue.repo, () => queues.permissionToSubmit(queue), isFresh));
  return (await mayChangeAll(false)) && mayChangeAll(true);
}

async function titlesOf(
  { queues }: Queues,
  queue: QueueAddress,
  action: Action,
): Promise<ReadonlyMap<number, string>> {
  if (isQueueAction(action)) return new Map();
  const found = await queues.readEntries({ ...queue, prs: action.prs });
  return new Map(found.ok ? found.value.entries.map(({ entry }) => [entry.pr, entry.title]) : []);
}
