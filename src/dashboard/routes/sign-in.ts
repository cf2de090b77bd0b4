import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DashboardParts } from "../dashboard-parts.ts";
import { renderForeignForm } from "../home-page.ts";
import { loginPath, ownPath } from "../paths.ts";
import { show, showLogin } from "./replies.ts";

/** Signing in with an API token, and out. Both are accepted from forms of these pages only. */
export function serveSignIn(app: FastifyInstance, { sessions, publicUrl }: DashboardParts): void {
  const refuseForeignForms = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOwnForm(request, publicUrl)) return show(reply.code(403), "Refused", renderForeignForm());
  };

  app.get(loginPath, (request, reply) =>
    showLogin(reply, { next: ownPath((request.query as { next?: unknown }).next) }),
  );

  app.post(loginPath, { preHandler: refuseForeignForms }, async (request, reply) => {
    const { token, next } = (request.body ?? {}) as { token?: unknown; next?: unknown };
    const isGood = await sessions.signIn(String(token ?? "").trim(), request, reply);
    const path = ownPath(next);
    if (isGood) return reply.redirect(path, 303);
    const problem = "That token is unknown, expired or revoked, or lacks the scope read.";
    return showLogin(reply.code(401), { problem, next: path });
  });

  app.post("/logout", { preHandler: refuseForeignForms }, async (request, reply) => {
    await sessions.signOut(request, reply);
    return reply.redirect("/", 303);
  });
}

/**
 * Whether a form was sent by one of our pages, or by hand. Otherwise any site could sign a visitor in with a token of its
 * own. Browsers tell the origin in `Sec-Fetch-Site`; over plain HTTP, and in old browsers, only in `Origin`. A request with
 * neither does not come from a page.
 */
function isOwnForm({ headers, protocol, host }: FastifyRequest, publicUrl: string | null): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  if (origin === undefined) return true;
  const ours = [`${protocol}://${host}`, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])];
  return ours.includes(origin);
}
