import type { FastifyInstance } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { loginPath, ownPath } from "../paths.ts";
import { refuseForeignForms } from "./form-routes.ts";
import { showLogin } from "./replies.ts";

/** Signing in with an API token, and out. Both are accepted from forms of these pages only. */
export function serveSignIn(app: FastifyInstance, { sessions, publicUrl }: DashboardServices): void {
  const preHandler = refuseForeignForms(publicUrl);

  app.get(loginPath, (request, reply) =>
    showLogin(reply, { next: ownPath((request.query as { next?: unknown }).next) }),
  );

  app.post(loginPath, { preHandler }, async (request, reply) => {
    const { token, next } = (request.body ?? {}) as { token?: unknown; next?: unknown };
    const isGood = await sessions.signIn(String(token ?? "").trim(), request, reply);
    const path = ownPath(next);
    if (isGood) return reply.redirect(path, 303);
    const problem = "That token is unknown, expired or revoked, or lacks the scope read.";
    return showLogin(reply.code(401), { problem, next: path });
  });

  app.post("/logout", { preHandler }, async (request, reply) => {
    await sessions.signOut(request, reply);
    return reply.redirect("/", 303);
  });
}
