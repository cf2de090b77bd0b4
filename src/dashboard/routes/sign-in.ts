import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DashboardParts } from "../dashboard-parts.ts";
import { isOwnForm } from "../form-origin.ts";
import { renderForeignForm, renderLogin } from "../home-page.ts";
import { ownPath } from "../own-path.ts";
import { show } from "./replies.ts";

/** Signing in with an API token, and out. Both are accepted from forms of these pages only. */
export function serveSignIn(app: FastifyInstance, { sessions, publicUrl }: DashboardParts): void {
  const refuseForeignForms = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOwnForm(request, publicUrl)) return show(reply.code(403), "Refused", renderForeignForm());
  };

  app.post("/login", { preHandler: refuseForeignForms }, async (request, reply) => {
    const { token, next } = (request.body ?? {}) as { token?: unknown; next?: unknown };
    const isGood = await sessions.signIn(String(token ?? "").trim(), request, reply);
    const path = ownPath(next);
    if (isGood) return reply.redirect(path, 303);
    const problem = "That token is unknown, expired or revoked, or lacks the scope read.";
    return show(reply.code(401), "Sign in", renderLogin(problem, path));
  });

  app.post("/logout", { preHandler: refuseForeignForms }, async (request, reply) => {
    await sessions.signOut(request, reply);
    return reply.redirect("/", 303);
  });
}
