import type { FastifyInstance, FastifyRequest } from "fastify";
import { noteChanges } from "../../service/access/audit-trail.ts";
import type { Outcome } from "../../service/runtime/outcome.ts";
import { describeWebhookChange } from "../../service/webhooks/webhook-changes.ts";
import type { WebhookEndpoint } from "../../store/webhooks/webhook-endpoints.ts";
import { describeRefusal } from "../controls/action.ts";
import { describeAct } from "../controls/describe-act.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { webhooksPath } from "../paths.ts";
import {
  isWebhookChange,
  renderNewSecret,
  renderWebhookConfirmation,
  secretVersion,
  webhookChanges,
} from "../webhooks/webhook-changes-page.ts";
import { renderWebhook, renderWebhooks } from "../webhooks/webhook-pages.ts";
import { acceptForm } from "./csrf.ts";
import {
  type Administrator,
  administratorNow,
  isMember,
  organisationIn,
  refuseOthers,
  serveToOwners,
} from "./organisations.ts";
import { notFound, overviewCrumb, show, showResult } from "./replies.ts";

const deliveriesShown = 25;

/** The webhooks of an organisation, for those who may administer it. */
export function serveWebhookPages(app: FastifyInstance, parts: DashboardServices): void {
  const { webhooks, audit, now } = parts;

  serveToOwners(app, parts, "/webhooks/:organisation", async (_request, reply, viewer) => {
    const { organisation: name } = viewer;
    const listed = (await webhooks.list(name)).map(async (webhook) => {
      const found = await webhooks.deliveries(name, webhook.id, { state: null, before: null, limit: 1 });
      return { webhook, last: found.ok ? (found.value.deliveries[0] ?? null) : null };
    });
    const body = renderWebhooks(name, await Promise.all(listed), viewer.formToken, now());
    return show(reply, `Webhooks of ${name}`, body, viewer, { isLive: false, crumbs: [overviewCrumb] });
  });

  serveToOwners(app, parts, "/webhooks/:organisation/:id", async (request, reply, viewer) => {
    const webhook = await webhookIn(parts, viewer, request);
    const before = placeIn(request.query);
    if (webhook === null || before === undefined) return notFound(reply, "webhook");
    const query = { state: null, before, limit: deliveriesShown };
    const found = await webhooks.deliveries(webhook.organisation, webhook.id, query);
    if (!found.ok) return notFound(reply, "webhook");
    const body = renderWebhook({ webhook, ...found.value, formToken: viewer.formToken }, now());
    return show(reply, "Webhook", body, viewer, { isLive: false, crumbs: crumbsOf(viewer) });
  });

  acceptForm(app, parts, "/webhooks/:organisation/:id/actions", async (form) => {
    const { request, reply, fields } = form;
    const { action } = fields;
    if (action !== "resend" && !isWebhookChange(action)) return notFound(reply, "action");
    const { organisation, id } = namesIn(request);
    const endpoint = action === "resend" ? "resendWebhookDelivery" : "updateWebhook";
    const asked = { organisation, action: endpoint, by: form.viewer.actor, from: request };
    const viewer = await administratorNow(form.viewer, request);
    if (viewer === null) {
      // Only for tokens of the organisation: others could fill its log.
      if (isMember(form.viewer, request)) await audit.record(describeAct(asked, "refused", "SCOPE_MISSING"));
      return refuseOthers(reply, webhooksPath(organisation, id), form.viewer);
    }
    const audited = <T>(carryOut: () => Promise<Outcome<T>>) =>
      audit.execute(
        (outcome, code) => describeAct(asked, outcome, code),
        carryOut,
        (result) => (result.ok ? null : result.refusal.code),
      );
    const webhook = await webhookIn(parts, viewer, request);
    if (webhook === null) return notFound(reply, "webhook");
    const path = webhooksPath(webhook.organisation, webhook.id);
    if (action === "resend") {
      const sent = await audited(() => webhooks.resend(webhook.organisation, id, String(fields.delivery)));
      const text = sent.ok
        ? `The message ${sent.value.messageId} is sent again.`
        : describeRefusal(sent.refusal);
      return showResult(reply, path, text);
    }
    const frame = { isLive: false, crumbs: crumbsOf(viewer) };
    if (fields.confirmed !== "yes") {
      const page = renderWebhookConfirmation(action, webhook, viewer.formToken, now());
      return show(reply, "Confirm", page, viewer, frame);
    }
    if (action === "rotate" && fields.version !== secretVersion(webhook))
      return showResult(reply, path, "Nothing was done: the secret was rotated since that page was shown.");
    const changed = await audited(async () => {
      const outcome = await webhooks.update(webhook.organisation, id, webhookChanges[action].changes);
      if (outcome.ok) noteChanges(describeWebhookChange(outcome.value.before, outcome.value.webhook));
      return outcome;
    });
    if (!changed.ok) return showResult(reply, path, describeRefusal(changed.refusal));
    const { secret } = changed.value;
    // Not a redirect: the secret would have to be in its address or in a cookie.
    if (secret !== null)
      return show(reply, "The new secret", renderNewSecret(webhook, secret), viewer, frame);
    return showResult(reply, path, `The webhook is ${action}d now.`);
  });
}

async function webhookIn(
  { webhooks }: DashboardServices,
  { organisation }: Administrator,
  request: FastifyRequest,
): Promise<WebhookEndpoint | null> {
  const { id } = namesIn(request);
  return (await webhooks.list(organisation)).find((webhook) => webhook.id === id) ?? null;
}

function namesIn(request: FastifyRequest): { readonly organisation: string; readonly id: string } {
  const { id = "" } = request.params as Record<string, string>;
  return { organisation: organisationIn(request), id };
}

/** The delivery before which the page begins; null = the newest. Undefined: the page's address is wrong. */
function placeIn(query: unknown): number | null | undefined {
  const { before } = query as Record<string, unknown>;
  if (before === undefined) return null;
  return /^\d{1,15}$/.test(String(before)) ? Number(before) : undefined;
}

function crumbsOf({ organisation }: Administrator) {
  return [overviewCrumb, { path: webhooksPath(organisation), text: `Webhooks of ${organisation}` }];
}
