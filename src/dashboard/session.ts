import type { FastifyReply, FastifyRequest } from "fastify";
import type { RepositoryRef } from "../engine/queue.ts";
import type { Principal, TokenAuthenticator } from "../service/token-service.ts";

const cookie = "trainyard_session";

/** Who may see what: anybody everything, or the bearer of an API token what that may read. */
export class Sessions {
  readonly #tokens: Pick<TokenAuthenticator, "authenticate">;
  readonly #public: boolean;
  readonly #secure: boolean;

  constructor(
    tokens: Pick<TokenAuthenticator, "authenticate">,
    options: { public: boolean; secure: boolean },
  ) {
    this.#tokens = tokens;
    this.#public = options.public;
    this.#secure = options.secure;
  }

  /** Whether a repository may be shown; null when nobody is signed in. */
  async viewer(request: FastifyRequest): Promise<((repo: RepositoryRef) => boolean) | null> {
    if (this.#public) return () => true;
    const token = request.cookies[cookie];
    const principal = token ? await this.#tokens.authenticate(token) : null;
    return principal && mayRead(principal) ? (repo) => owns(principal, repo) : null;
  }

  /** Keeps the token in a cookie that scripts and other sites cannot use. False when it is no good. */
  async signIn(token: string, reply: FastifyReply): Promise<boolean> {
    const principal = await this.#tokens.authenticate(token);
    if (!principal || !mayRead(principal)) return false;
    reply.setCookie(cookie, token, {
      httpOnly: true,
      sameSite: "strict",
      secure: this.#secure,
      path: "/",
      maxAge: 7 * 24 * 60 * 60,
    });
    return true;
  }
}

function mayRead({ scopes }: Principal): boolean {
  return scopes.includes("read") || scopes.includes("admin");
}

function owns({ organisation }: Principal, repo: RepositoryRef): boolean {
  return organisation === null || organisation === repo.owner.toLowerCase();
}
