import type { FastifyInstance } from "fastify";
import { nameKey } from "../../engine/model/names.ts";
import type { AuditPlace } from "../../store/access/audit-log.ts";
import { groupAlike, renderAuditLog } from "../audit-page.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import { addressOf, askToSignIn, notFound, overviewCrumb, show } from "./replies.ts";

/** Jobs upload their test results much more often than people do something. */
const entriesRead = 500;
const rowsShown = 50;

/** The audit log of a repository, for its administrators. */
export function serveAuditPages(app: FastifyInstance, { audit, sessions, now }: DashboardServices): void {
  app.get("/audit/:host/:owner/:name", async (request, reply) => {
    const { repo } = addressOf(request);
    const viewer = await sessions.viewer(request);
    if (viewer === null || viewer.formToken === null) return askToSignIn(request, reply);
    if (!(await viewer.mayAdministrate(repo))) return notFound(reply, "repository");
    const { action, actor, cursor } = request.query as Record<string, unknown>;
    const after = placeIn(cursor);
    if (after === undefined) return notFound(reply, "page");
    const filter = { action: textIn(action), actor: textIn(actor) };
    const { records, next } = await audit.list({
      organisation: nameKey(repo.owner),
      repo,
      ...filter,
      ...{ since: null, until: null, after, limit: entriesRead },
    });
    const all = groupAlike(records);
    const groups = all.slice(0, rowsShown);
    const last = groups.at(-1)?.at(-1);
    const page = { groups, next: all.length > rowsShown && last ? { at: last.at, id: last.id } : next };
    return show(
      reply,
      `Audit log of ${repo.owner}/${repo.name}`,
      renderAuditLog(repo, filter, page, now()),
      viewer,
      { isLive: false, crumbs: [overviewCrumb] },
    );
  });
}

function textIn(value: unknown): string | null {
  return typeof value === "string" ? value.trim().slice(0, 256) || null : null;
}

/** The entry after which the page begins; null = the newest. Undefined: the page's address is wrong. */
function placeIn(cursor: unknown): AuditPlace | null | undefined {
  if (cursor === undefined) return null;
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(String(cursor)) ?? [];
  return at === undefined ? undefined : { at: Number(at), id: Number(id) };
}
