import type { FastifyInstance } from "fastify";
import { html } from "ghtml";
import { describeAct } from "../../dashboard/controls/describe-act.ts";
import type { DashboardServices } from "../../dashboard/dashboard-services.ts";
import { testPath } from "../../dashboard/paths.ts";
import { acceptForm } from "../../dashboard/routes/csrf.ts";
import { addressOf, notFound, showResult } from "../../dashboard/routes/replies.ts";
import { parseTime, renderFor } from "../../dashboard/times.ts";
import { asSentence } from "../../engine/reasons/sentence.ts";
import type { AuditedAct } from "../../service/access/audit-trail.ts";
import type { Quarantine, QuarantineMode } from "../quarantine/decide-quarantine.ts";
import type { QuarantineSetting } from "../service/quarantines.ts";
import { noteRevision } from "../service/revised-tests.ts";
import type { TestDetails } from "../store/reads/test-records.ts";
import type { TestView } from "./parts.ts";

const choices: Readonly<Record<QuarantineMode, string>> = {
  ALWAYS: "forgive its failures until",
  NEVER: "never forgive its failures",
  AUTO: "forgive its failures while it is flaky",
};
const longestReason = 500;
const dayMs = 86_400_000;

/** Renders whether a test's failures count, with a form to change that for viewers who may. */
export function renderQuarantine(
  test: TestDetails,
  quarantine: Quarantine | null,
  { formToken, now }: Pick<TestView, "formToken" | "now">,
): string {
  return html`
<section>
  <h2>Quarantine</h2>
  <p>!${stateOf(test, quarantine, now)}</p>
  !${formToken === null ? "" : renderForm(test, formToken, now)}
</section>`;
}

function stateOf({ mode }: TestDetails, quarantine: Quarantine | null, now: number): string {
  if (mode === "NEVER") return "Somebody has decided that its failures always count.";
  if (!quarantine) return "Its failures count.";
  const { since, expiresAt, reason, owner } = quarantine;
  const end = new Date(expiresAt).toISOString();
  const why = reason === "" ? "" : html` Why: <bdi>${asSentence(reason)}</bdi>`;
  return html`It still runs, and its failures block nobody, for !${renderFor(since, now)}, until <time datetime="${end}">${end.slice(0, 16).replace("T", " ")} UTC</time>.!${why}!${owner === null ? "" : html` <bdi>${owner}</bdi> takes care of it.`}`;
}

function renderForm(test: TestDetails, formToken: string, now: number): string {
  const options = Object.entries(choices).map(
    ([mode, text]) => html`<option value="${mode}"!${mode === test.mode ? " selected" : ""}>${text}</option>`,
  );
  const inAWeek = new Date(now + 7 * dayMs).toISOString().slice(0, 10);
  return html`<form class="choice" method="post" action="${testPath(test.repo, test.id)}/quarantine">
    <input type="hidden" name="formToken" value="${formToken}">
    <label class="decide">Decide <select name="mode">!${options}</select></label>
    <label>Until the end of (UTC) <input type="date" name="until" value="${inAWeek}"></label>
    <label class="reason">Why <input name="reason" maxlength="${longestReason}" required></label>
    <button>Set</button>
  </form>`;
}

/** Serves the form of `renderQuarantine`, which does the same as the API's `setQuarantine`. */
export function serveQuarantineForm(app: FastifyInstance, parts: DashboardServices): void {
  const { quarantines, audit, now } = parts;
  acceptForm(app, parts, "/tests/:host/:owner/:name/:id/quarantine", async (form) => {
    const { request, reply, viewer, fields } = form;
    const { repo } = addressOf(request);
    const { id = "" } = request.params as Record<string, string>;
    const asked = { organisation: repo.owner, action: "setQuarantine", by: viewer.actor, from: request };
    const actOf = (outcome: AuditedAct["outcome"], code: string | null): AuditedAct => ({
      ...describeAct(asked, outcome, code),
      ...{ repo, reason: textOf(fields.reason) || null },
    });
    // GitHub is asked only about viewers who seem to have the right, so that others cannot use up its rate limit.
    if (!((await viewer.mayAdministrate(repo)) && (await viewer.mayAdministrate(repo, true)))) {
      if (!(await viewer.mayShow(repo))) return notFound(reply, "test");
      await audit.record(actOf("refused", "PERMISSION_TOO_LOW"));
      return notFound(reply, "test");
    }
    const page = testPath(repo, id);
    const setting = readSetting(fields, now());
    if (typeof setting === "string") return showResult(reply, page, setting);
    const revised = await audit.execute(
      actOf,
      async () => {
        const answer = await quarantines.set(repo, id, setting);
        if (answer.ok) noteRevision(answer.value);
        return answer;
      },
      (answer) => (answer.ok ? null : answer.refusal.code),
    );
    if (!revised.ok) return notFound(reply, "test");
    return showResult(reply, page, renderDone(setting));
  });
}

function readSetting(fields: Readonly<Record<string, unknown>>, now: number): QuarantineSetting | string {
  const mode = String(fields.mode) as QuarantineMode;
  const reason = textOf(fields.reason);
  if (!Object.hasOwn(choices, mode)) return "Choose whether its failures are forgiven.";
  if (reason === "") return "Say why: others read it.";
  if (mode !== "ALWAYS") return { mode, reason, owner: null, expiresAt: null };
  const until = textOf(fields.until);
  if (until === "") return "Say until which day its failures are forgiven.";
  const day = parseTime(`${until}T00:00:00Z`);
  if (day === null) return `“${until}” is not a day. Write it such as 2026-11-28.`;
  const expiresAt = day + dayMs;
  return expiresAt <= now ? "That day is over." : { mode, reason, owner: null, expiresAt };
}

function renderDone({ mode, expiresAt }: QuarantineSetting): string {
  const until = expiresAt === null ? "" : ` the end of ${new Date(expiresAt - 1).toISOString().slice(0, 10)}`;
  return `From now on: ${choices[mode]}${until}.`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim().slice(0, longestReason) : "";
}
