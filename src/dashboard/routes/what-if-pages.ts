import type { FastifyInstance } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { ownPath } from "../paths.ts";
import { formIn, parseQuestion } from "../what-if/question.ts";
import { renderAnswer, renderWhatIfForm } from "../what-if/what-if-page.ts";
import { needsAdministrator } from "./queue-pages.ts";
import {
  addressOf,
  askToSignIn,
  crumbsOf,
  fullName,
  notFound,
  show,
  showLogin,
  showParts,
} from "./replies.ts";

const dayMs = 86_400_000;

/** Replays of a queue with other settings, for its administrators only, because they cost processor time. */
export function serveWhatIfPages(
  app: FastifyInstance,
  { queues, sessions, whatIf, now }: DashboardServices,
): void {
  app.get("/queues/:host/:owner/:name/:branch/what-if", async (request, reply) => {
    const queue = addressOf(request);
    const viewer = await sessions.viewer(request);
    if (!viewer) return askToSignIn(request, reply);
    const view = (await viewer.mayShow(queue.repo)) ? await queues.readQueue(queue) : null;
    if (!view?.ok) return notFound(reply);
    if (!(await viewer.mayAdministrate(queue.repo))) {
      const login = { problem: needsAdministrator, next: ownPath(request.url), scopes: "read,queue:admin" };
      return showLogin(reply.code(403), login, viewer);
    }
    const { id, settings } = view.value;
    const form = formIn(request.query, settings);
    const question = "days" in (request.query as object) ? parseQuestion(form) : null;
    const problem = typeof question === "string" ? question : null;
    const top = renderWhatIfForm(view.value, form, problem);
    const title = `What if · ${fullName(queue.repo)}`;
    const frame = { isLive: false, crumbs: crumbsOf(queue) };
    if (question === null || typeof question === "string")
      return show(reply, title, `<main>${top}</main>`, viewer, frame);
    const left = new AbortController();
    reply.raw.once("close", () => left.abort());
    const variants = question.concurrencies.map((concurrency) => ({ ...question.changes, concurrency }));
    const messages = whatIf.ask(id, now() - question.days * dayMs, { settings, variants }, left.signal);
    const body = async function* () {
      yield `<main>${top}`;
      try {
        yield* renderAnswer(messages, question, settings);
      } catch (error) {
        if (left.signal.aborted) return;
        request.log.error({ code: "REPLAY_FAILED", err: error }, "a replay of a queue failed");
        yield '</tbody></table></div><p class="problem">The replay failed. The log of the service says why.</p>';
      }
      yield "</main>";
    };
    return showParts(reply, title, body(), viewer, frame);
  });
}
