import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isSameName, nameKey } from "../engine/model/names.ts";
import type { RepositoryRef } from "../engine/model/queue.ts";
import type { RepositoryPermission } from "../ports/code-host/code-host.ts";
import {
  type DashboardSessions,
  type SignIn,
  sessionMs,
  type Visitor,
} from "../service/access/dashboard-sessions.ts";
import type { Principal } from "../service/access/tokens.ts";
import { isAtLeast, type RepositoryRoles } from "../service/observation/repository-roles.ts";
import type { Person } from "../store/access/session-store.ts";

/** A person or token that has signed in, as named in the audit log. */
export interface SignedInActor {
  readonly kind: "user" | "token";
  /** A login, or a token's id. */
  readonly id: string;
  readonly name: string;
}

export interface Viewer {
  /** The visitor's name in the header; null without a sign-in, when the dashboard is public. */
  readonly name: string | null;
  /** Null without a sign-in. */
  readonly actor: SignedInActor | null;
  /** The account of a visitor who signed in with GitHub; null for all others. */
  readonly person: Person | null;
  /** The organisation of a token, in lower case. Null for people, who may own several. */
  readonly organisation: string | null;
  /** A secret in every form that changes something, which other sites cannot know. Null without a sign-in. */
  readonly formToken: string | null;
  readonly mayShow: (repo: RepositoryRef) => Promise<boolean>;
  /** Whether a repository's queues may be examined and changed. `isFresh`: the right is read now, because something is about to change. */
  readonly mayAdministrate: (repo: RepositoryRef, isFresh?: boolean) => Promise<boolean>;
  /**
   * Whether an organisation's tokens and webhooks may be seen and changed: by a token of it with the scope admin, and by its owners.
   * `isFresh` is as above.
   */
  readonly mayAdministrateOrganisation: (organisation: string, isFresh?: boolean) => Promise<boolean>;
  /**
   * Returns whether a queued pull request may be changed, by its author: administrators change all of them, and authors their own if
   * they have the permission that commands need. A token needs the scope that the API requires.
   */
  readonly entryRights: (
    repo: RepositoryRef,
    permissionToSubmit: () => Promise<RepositoryPermission | null>,
    isFresh?: boolean,
  ) => Promise<(author: string) => boolean>;
}

const viewers = new WeakMap<FastifyRequest, Viewer | null>();

/** Returns the viewer that the request's handler has determined; null if there is none, or the handler determined none. */
export function viewerOf(request: FastifyRequest): Viewer | null {
  return viewers.get(request) ?? null;
}

/**
 * Decides who may see which repositories. If the dashboard is public, everyone sees all of them. Otherwise people who sign in with GitHub
 * see the repositories that GitHub shows to them, and with an API token those that the token may read.
 */
export class Sessions {
  readonly #sessions: DashboardSessions;
  readonly #roles: RepositoryRoles;
  readonly #public: boolean;
  readonly #cookie: string;
  readonly #attributes: { httpOnly: true; sameSite: "lax"; secure: boolean; path: "/" };

  constructor(
    sessions: DashboardSessions,
    roles: RepositoryRoles,
    options: { public: boolean; secure: boolean },
  ) {
    this.#sessions = sessions;
    this.#roles = roles;
    this.#public = options.public;
    // With this prefix, browsers accept the cookie only from this host, not from others of the same domain.
    this.#cookie = options.secure ? "__Host-trainyard_session" : "trainyard_session";
    this.#attributes = { httpOnly: true, sameSite: "lax", secure: options.secure, path: "/" };
  }

  /** Returns null when nobody is signed in and the dashboard is not public. */
  async viewer(request: FastifyRequest): Promise<Viewer | null> {
    const viewer = await this.#find(request);
    viewers.set(request, viewer);
    return viewer;
  }

  async #find(request: FastifyRequest): Promise<Viewer | null> {
    const id = this.#idOf(request);
    const visitor = id ? await this.#sessions.visitorOf(id) : null;
    if (!visitor && !this.#public) return null;
    const person = visitor?.kind === "person" ? visitor : null;
    const roleOf = async (repo: RepositoryRef, isFresh = false): Promise<RepositoryPermission> => {
      if (visitor === null) return "none";
      return visitor.kind === "token"
        ? tokenRole(visitor.principal, repo)
        : this.#roles.roleOf(visitor, repo, isFresh);
    };
    return {
      name: visitor === null ? null : visitor.kind === "token" ? visitor.principal.name : visitor.login,
      actor: actorOf(visitor),
      person,
      organisation: visitor?.kind === "token" ? visitor.principal.organisation : null,
      formToken: id && visitor ? createHash("sha256").update(`form ${id}`).digest("base64url") : null,
      mayShow: async (repo) => this.#public || (await roleOf(repo)) !== "none",
      mayAdministrate: async (repo, isFresh) => (await roleOf(repo, isFresh)) === "admin",
      mayAdministrateOrganisation: async (organisation, isFresh) => {
        if (person !== null) return this.#roles.isOwner(person, organisation, isFresh);
        return visitor?.kind === "token" && administers(visitor.principal, organisation);
      },
      entryRights: async (repo, permissionToSubmit, isFresh) => {
        if (visitor?.kind === "token") {
          const maySubmit = hasScope(visitor.principal, "submit", repo);
          return () => maySubmit;
        }
        const role = await roleOf(repo, isFresh);
        if (role === "admin") return () => true;
        const maySubmit =
          isAtLeast(role, "write") && isAtLeast(role, (await permissionToSubmit()) ?? "admin");
        return (author) => maySubmit && isSameName(author, person?.login);
      },
    };
  }

  /** Starts a session with an API token. Returns false when the token is not valid. */
  async signIn(token: string, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const id = await this.#sessions.beginWithToken(token, userAgentOf(request));
    if (id === null) return false;
    await this.#replace(id, request, reply);
    return true;
  }

  /** Starts a session of a person whom GitHub has identified. */
  async signInAs(person: Person, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#replace(await this.#sessions.beginAs(person, userAgentOf(request)), request, reply);
  }

  /** The sign-ins of the visitor that have not ended. */
  async signInsOf(request: FastifyRequest): Promise<readonly SignIn[]> {
    return this.#sessions.listLike(this.#idOf(request) ?? "");
  }

  /** Ends one of the visitor's sign-ins, or all others. Returns how many it has ended. */
  async endSignIns(request: FastifyRequest, which: SignIn["id"] | "others"): Promise<number> {
    return this.#sessions.endLike(this.#idOf(request) ?? "", which);
  }

  async signOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#end(request);
    reply.clearCookie(this.#cookie, this.#attributes);
  }

  /**
   * Stores a new session in a cookie that scripts cannot use. Other sites can only link to pages with it (`Lax`): forms of other
   * sites are refused, and reading changes nothing.
   */
  async #replace(id: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#end(request);
    reply.setCookie(this.#cookie, id, { ...this.#attributes, maxAge: sessionMs / 1000 });
  }

  async #end(request: FastifyRequest): Promise<void> {
    const id = this.#idOf(request);
    if (id) await this.#sessions.end(id);
  }

  #idOf({ cookies }: FastifyRequest): string | undefined {
    return cookies[this.#cookie];
  }
}

function userAgentOf({ headers }: FastifyRequest): string {
  return headers["user-agent"] ?? "";
}

function actorOf(visitor: Visitor | null): SignedInActor | null {
  if (visitor?.kind === "person") return { kind: "user", id: visitor.login, name: visitor.login };
  return visitor && { kind: "token", id: visitor.principal.id, name: visitor.principal.name };
}

function administers({ organisation, scopes }: Principal, asked: string): boolean {
  return isSameName(organisation, asked) && scopes.includes("admin");
}

function tokenRole(principal: Principal, repo: RepositoryRef): RepositoryPermission {
  if (!reaches(principal, repo)) return "none";
  return hasScope(principal, "queue:admin", repo) ? "admin" : "read";
}

function hasScope(principal: Principal, scope: Principal["scopes"][number], repo: RepositoryRef): boolean {
  return reaches(principal, repo) && principal.scopes.some((one) => one === scope || one === "admin");
}

function reaches({ organisation }: Principal, { owner }: RepositoryRef): boolean {
  return organisation === null || organisation === nameKey(owner);
}
