import type { FastifyInstance } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { formIn, parseQuestion } from "../what-if/question.ts";
import { renderAnswer, renderWhatIfForm } from "../what-if/what-if-page.ts";
import { queueRoute, serveToAdministrators, showAbout } from "./member-pages.ts";
import { crumbsOf, fullName, showParts } from "./replies.ts";

const dayMs = 86_400_000;

/** Replays of a queue with other settings, for its administrators only, because they cost processor time. */
export function serveWhatIfPages(app: FastifyInstance, services: DashboardServices): void {
  const { whatIf, now } = services;
  serveToAdministrators(app, services, `${queueRoute}/what-if`, async (visit, view) => {
    const { request, reply, viewer, queue } = visit;
    const { id, settings } = view;
    const form = formIn(request.query, settings);
    const question = "days" in (request.query as object) ? parseQuestion(form) : null;
    const problem = typeof question === "string" ? question : null;
    const top = renderWhatIfForm(view, form, problem);
    if (question === null || typeof question === "string")
      return showAbout(visit, "What if", `<main>${top}</main>`);
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
    const frame = { isLive: false, crumbs: crumbsOf(queue) };
    return showParts(reply, `What if · ${fullName(queue.repo)}`, body(), viewer, frame);
  });
}
