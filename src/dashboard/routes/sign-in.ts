import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DashboardServices } from "../dashboard-services.ts";
import { callbackPath, loginPath, ownPath, signInPath } from "../paths.ts";
import { refuseForeignForms } from "./csrf.ts";
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

/** What the browser keeps while it is at GitHub, so that no other browser can finish its sign-in. */
interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
}

/** Identifies a visitor by GitHub. */
export interface GitHubSignIn {
  /** Returns GitHub's page that asks the visitor, and what the browser has to keep until it returns. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /** @throws when GitHub or the visitor refused, another browser returns, or GitHub does not answer */
  finish(
    returned: URL,
    redirectUri: string,
    pending: PendingSignIn,
  ): Promise<{ readonly id: number; readonly login: string }>;
}

/** How long somebody may take on GitHub's page. */
const pendingSeconds = 10 * 60;

/** Signing in with a GitHub account. Without the App's client secret, these pages do not exist. */
export function serveGitHubSignIn(
  app: FastifyInstance,
  { sessions, signIn, publicUrl }: DashboardServices,
): void {
  if (signIn === null) return;
  const secure = publicUrl?.startsWith("https:") ?? false;
  const cookie = secure ? "__Host-trainyard_sign_in" : "trainyard_sign_in";
  const attributes = { httpOnly: true, sameSite: "lax", secure, path: "/" } as const;
  const callback = (request: FastifyRequest) => `${publicUrl ?? originOf(request)}${callbackPath}`;

  app.get(signInPath, async (request, reply) => {
    const { next } = request.query as { next?: unknown };
    const { url, pending } = await signIn.begin(callback(request));
    const kept = JSON.stringify({ ...pending, next: ownPath(next) });
    const value = Buffer.from(kept).toString("base64url");
    reply.setCookie(cookie, value, { ...attributes, maxAge: pendingSeconds });
    return reply.redirect(url, 303);
  });

  app.get(callbackPath, async (request, reply) => {
    const pending = readPending(request.cookies[cookie]);
    reply.clearCookie(cookie, attributes);
    if (pending === null)
      return refuse(reply, "/", "Your sign-in took too long, or began in another browser.");
    try {
      const returned = new URL(request.url, originOf(request));
      const person = await signIn.finish(returned, callback(request), pending);
      await sessions.signInAs(person, request, reply);
      return reply.redirect(ownPath(pending.next), 303);
    } catch (error) {
      request.log.warn({ code: "SIGN_IN_FAILED", err: error }, "a sign-in with GitHub failed");
      return refuse(reply, ownPath(pending.next), "GitHub did not confirm who you are. Try again.");
    }
  });
}

function refuse(reply: FastifyReply, next: string, problem: string): FastifyReply {
  return showLogin(reply.code(401), { problem, next });
}

/** The address that a request was sent to. */
export function originOf({ protocol, host }: FastifyRequest): string {
  return `${protocol}://${host}`;
}

function readPending(value: string | undefined): (PendingSignIn & { readonly next: unknown }) | null {
  try {
    const kept: unknown = JSON.parse(Buffer.from(value ?? "", "base64url").toString("utf8"));
    const { state, verifier, next } = (kept ?? {}) as Record<string, unknown>;
    return typeof state === "string" && typeof verifier === "string" ? { state, verifier, next } : null;
  } catch {
    return null;
  }
}
