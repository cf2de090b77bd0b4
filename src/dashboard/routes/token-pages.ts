import type { FastifyInstance } from "fastify";
import { nameKey } from "../../engine/model/names.ts";
import { type AuditedAct, noteChanges } from "../../service/access/audit-trail.ts";
import { stateOfToken, tokenChanges } from "../../service/access/tokens.ts";
import type { AuditRecord } from "../../store/access/audit-log.ts";
import { describeAct } from "../controls/describe-act.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { tokensPath } from "../paths.ts";
import {
  emptyForm,
  isGrantable,
  longestName,
  mostDays,
  type NewTokenForm,
  newestOf,
  renderNewToken,
  renderRevocation,
  renderTokens,
} from "../tokens-page.ts";
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

const dayMs = 86_400_000;
/** The authors of older tokens are not looked for. */
const creationsRead = 300;

/** The API tokens of an organisation, for those who may administer it. */
export function serveTokenPages(app: FastifyInstance, parts: DashboardServices): void {
  const { tokens, audit, now } = parts;

  const renderList = async (viewer: Administrator, entered: NewTokenForm, problem: string | null) => {
    const { organisation } = viewer;
    const [listed, creations] = await Promise.all([
      tokens.list(organisation),
      creationsOf(parts, organisation),
    ]);
    const known = { organisation, tokens: listed, creations, ownId: viewer.actor.id };
    return renderTokens({ ...known, formToken: viewer.formToken, entered, problem, now: now() });
  };
  const frame = { isLive: false, crumbs: [overviewCrumb] };

  serveToOwners(app, parts, "/tokens/:organisation", async (_request, reply, viewer) => {
    const body = await renderList(viewer, emptyForm, null);
    return show(reply, `API tokens of ${viewer.organisation}`, body, viewer, frame);
  });

  acceptForm(app, parts, "/tokens/:organisation", async (form) => {
    const { request, reply, fields } = form;
    const action = fields.action === "create" ? "createToken" : "revokeToken";
    const asked = { organisation: organisationIn(request), action, by: form.viewer.actor, from: request };
    let id: string | null = null;
    const actOf = (outcome: AuditedAct["outcome"], code: string | null) => ({
      ...describeAct(asked, outcome, code),
      token: id,
    });
    const viewer = await administratorNow(form.viewer, request);
    if (viewer === null) {
      // Only for tokens of the organisation: others could fill its log.
      if (isMember(form.viewer, request)) await audit.record(actOf("refused", "SCOPE_MISSING"));
      return refuseOthers(reply, tokensPath(asked.organisation), form.viewer);
    }
    const { organisation } = viewer;
    const path = tokensPath(organisation);
    const listed = await tokens.list(organisation);

    if (fields.action === "create") {
      if (fields.newest !== newestOf(listed))
        return showResult(reply, path, "Nothing was done: a token was created since that page was shown.");
      const entered = formIn(fields);
      const wanted = readForm(entered, now());
      if (typeof wanted === "string") {
        const body = await renderList(viewer, entered, wanted);
        return show(reply.code(422), `API tokens of ${organisation}`, body, viewer, frame);
      }
      const { token, record } = await audit.execute(
        actOf,
        async () => {
          const created = await tokens.create({ organisation, ...wanted });
          id = created.record.id;
          noteChanges({ changes: tokenChanges(created.record, "createToken") });
          return created;
        },
        () => null,
      );
      // Not a redirect: the token would have to be in its address or in a cookie.
      const crumbs = [overviewCrumb, { path, text: `API tokens of ${organisation}` }];
      return show(reply, "The new token", renderNewToken(record, token), viewer, { isLive: false, crumbs });
    }

    const record = listed.find((one) => one.id === fields.id);
    if (fields.action !== "revoke" || record === undefined) return notFound(reply, "token");
    if (stateOfToken(record, now()) === "revoked")
      return showResult(reply, path, `The token ${record.name} was revoked before.`);
    if (fields.confirmed !== "yes") {
      const context = { formToken: viewer.formToken, ownId: viewer.actor.id, now: now() };
      const crumbs = [overviewCrumb, { path, text: `API tokens of ${organisation}` }];
      return show(reply, "Confirm", renderRevocation(record, context), viewer, { isLive: false, crumbs });
    }
    id = record.id;
    await audit.execute(
      actOf,
      async () => {
        await tokens.revoke(record.id);
        noteChanges({ changes: tokenChanges(record, "revokeToken") });
      },
      () => null,
    );
    return showResult(reply, path, `The token ${record.name} is revoked.`);
  });
}

async function creationsOf(
  { audit }: DashboardServices,
  organisation: string,
): Promise<ReadonlyMap<string, AuditRecord>> {
  const { records } = await audit.list({
    ...{ organisation: nameKey(organisation), repo: null, action: "createToken", actor: null },
    ...{ since: null, until: null, after: null, limit: creationsRead },
  });
  return new Map(
    records.flatMap((record) => (record.token === null ? [] : [[record.token, record] as const])),
  );
}

function formIn({ name, scope, days }: Readonly<Record<string, unknown>>): NewTokenForm {
  const text = (value: unknown) => (typeof value === "string" ? value.trim() : "");
  return { name: text(name), scopes: [scope ?? []].flat().map(String), days: text(days) };
}

function readForm({ name, scopes, days }: NewTokenForm, now: number) {
  if (name === "") return "Give the token a name, such as the program that will use it.";
  if (name.length > longestName) return `A name has at most ${longestName} characters.`;
  const granted = scopes.filter(isGrantable);
  if (granted.length === 0 || granted.length < scopes.length) return "Choose at least one of the scopes.";
  if (days === "") return { name, scopes: granted, expiresAt: null };
  const count = /^\d{1,5}$/.test(days) ? Number(days) : 0;
  if (count < 1 || count > mostDays) return `A token ends after 1 to ${mostDays} days, or never.`;
  return { name, scopes: granted, expiresAt: now + count * dayMs };
}
