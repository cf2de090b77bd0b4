import type { FastifyReply, FastifyRequest } from "fastify";
import { nameKey } from "../engine/model/names.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import { type DashboardSessions, sessionMs } from "../service/access/dashboard-sessions.ts";
import type { Principal } from "../service/access/tokens.ts";

/** The visitor of a page. */
export interface Viewer {
  /** Whether a repository may be shown. */
  readonly mayShow: (repo: RepositoryRef) => boolean;
  /** Whether a repository's queues may be examined. */
  readonly mayAdministrate: (repo: RepositoryRef) => boolean;
  /** False for a visitor who has not signed in, when the dashboard is public. */
  readonly canSignOut: boolean;
}

/**
 * Decides who may see which repositories. If the dashboard is public, everyone sees all of them. Otherwise a visitor signs in
 * with an API token, and sees those that the token may read.
 */
export class Sessions {
  readonly #sessions: DashboardSessions;
  readonly #public: boolean;
  readonly #cookie: string;
  readonly #attributes: { httpOnly: true; sameSite: "lax"; secure: boolean; path: "/" };

  constructor(sessions: DashboardSessions, options: { public: boolean; secure: boolean }) {
    this.#sessions = sessions;
    this.#public = options.public;
    // With this prefix, browsers accept the cookie from no other host, not even from one of the same domain.
    this.#cookie = options.secure ? "__Host-trainyard_session" : "trainyard_session";
    this.#attributes = { httpOnly: true, sameSite: "lax", secure: options.secure, path: "/" };
  }

  /** Returns null when nobody is signed in and the dashboard is not public. */
  async viewer(request: FastifyRequest): Promise<Viewer | null> {
    const id = this.#idOf(request);
    const principal = id ? await this.#sessions.principalOf(id) : null;
    if (!principal && !this.#public) return null;
    return {
      mayShow: (repo) => this.#public || owns(principal, repo),
      mayAdministrate: (repo) => owns(principal, repo) && isAdministrator(principal),
      canSignOut: principal !== null,
    };
  }

  /**
   * Stores a new session in a cookie that scripts cannot use. Other sites can only link to pages with it (`Lax`): forms of other
   * sites are refused, and reading changes nothing. Returns false when the token is not valid.
   */
  async signIn(token: string, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const id = await this.#sessions.begin(token);
    if (id === null) return false;
    await this.#end(request);
    reply.setCookie(this.#cookie, id, { ...this.#attributes, maxAge: sessionMs / 1000 });
    return true;
  }

  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#end(request);
    reply.clearCookie(this.#cookie, this.#attributes);
  }

  async #end(request: FastifyRequest): Promise<void> {
    const id = this.#idOf(request);
    if (id) await this.#sessions.end(id);
  }

  #idOf({ cookies }: FastifyRequest): string | undefined {
    return cookies[this.#cookie];
  }
}

function owns(principal: Principal | null, repo: RepositoryRef): boolean {
  if (principal === null) return false;
  return principal.organisation === null || principal.organisation === nameKey(repo.owner);
}

function isAdministrator(principal: Principal | null): boolean {
  return principal?.scopes.some((scope) => scope === "queue:admin" || scope === "admin") ?? false;
}
