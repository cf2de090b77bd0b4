import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { html } from "ghtml";
import { readBody } from "../http-server.ts";
import { renderPage } from "../pages/render-page.ts";
import { type Account, type App, roles } from "../world/account.ts";
import type { World } from "../world/world.ts";
import type { Authenticator } from "./authenticator.ts";

const authorizePath = "/login/oauth/authorize";
const tokenPath = "/login/oauth/access_token";
/** https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors */
const codeLifetimeMs = 10 * 60_000;
const tokenLifetimeS = 8 * 3_600;

/** What a person has agreed to. It is valid until the App takes its token. */
interface Grant {
  readonly account: Account;
  readonly redirectUri: string;
  /** The S256 challenge of PKCE; null = the App sent none. */
  readonly challenge: string | null;
  readonly expiresAt: number;
}

export interface OAuthOptions {
  readonly world: World;
  readonly app: App;
  readonly clientSecret: string;
  readonly authenticator: Authenticator;
  /** Who is signed in to this GitHub in every browser, and has agreed before; null = the visitor chooses an account. */
  readonly visitor: () => string | null;
}

/**
 * The web flow in which a person signs in to the App with their account.
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
 */
export class OAuth {
  readonly #options: OAuthOptions;
  readonly #grants = new Map<string, Grant>();

  constructor(options: OAuthOptions) {
    this.#options = options;
  }

  /** Whether a request belongs to the flow. */
  handles(pathname: string): boolean {
    return pathname === authorizePath || pathname === tokenPath;
  }

  async serve(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (url.pathname === tokenPath && request.method === "POST") return this.#exchange(request, response);
    if (url.pathname === authorizePath && request.method === "GET")
      return this.#authorize(response, url.searchParams);
    response.writeHead(404, { "content-type": "text/plain" }).end("Not Found\n");
  }

  #authorize(response: ServerResponse, asked: URLSearchParams): void {
    const { world, app, visitor } = this.#options;
    const redirectUri = readLoopback(asked.get("redirect_uri"));
    if (asked.get("client_id") !== app.clientId || redirectUri === null)
      return this.#page(
        response,
        404,
        "<h1>Not Found</h1><p>No App has this client ID and callback URL.</p>",
      );
    const present = visitor();
    const chosen = asked.get("as") ?? (asked.get("prompt") === "select_account" ? null : present);
    const account = chosen === null ? null : world.users().find(({ login }) => login === chosen);
    if (account) return this.#grant(response, account, redirectUri, asked);
    this.#page(response, 200, this.#choice(asked));
  }

  /** On GitHub, the visitor is signed in as one account. Here they choose one. */
  #choice(asked: URLSearchParams): string {
    const { world, app } = this.#options;
    const link = (name: string, value: string) => {
      const query = new URLSearchParams(asked);
      query.set(name, value);
      return `${authorizePath}?${query}`;
    };
    const rows = world.users().map((account) => {
      const best = world.repositories().map((repository) => roles.indexOf(world.roleIn(repository, account)));
      const role = roles[Math.max(-1, ...best)] ?? "no role";
      return html`<tr><td><a href="${link("as", account.login)}">Continue as ${account.login}</a></td><td class="quiet">${role}</td></tr>`;
    });
    return html`<h1>Sign in to ${app.name}</h1>
<p>${app.name} would like to know which account is yours.</p><table>!${rows}</table>`;
  }

  #grant(response: ServerResponse, account: Account, redirectUri: URL, asked: URLSearchParams): void {
    const code = randomBytes(10).toString("hex");
    const challenge = asked.get("code_challenge_method") === "S256" ? asked.get("code_challenge") : null;
    const expiresAt = Date.now() + codeLifetimeMs;
    this.#grants.set(code, { account, redirectUri: redirectUri.href, challenge, expiresAt });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    const state = asked.get("state");
    if (state !== null) back.searchParams.set("state", state);
    response.writeHead(302, { location: back.href, "cache-control": "no-store" }).end();
  }

  /** Gives a token for a code, once. GitHub answers errors with the status 200. */
  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams((await readBody(request)).toString("utf8"));
    const answer = this.#tokenFor(form);
    const isJson = request.headers.accept?.includes("application/json") ?? false;
    const type = isJson ? "application/json" : "application/x-www-form-urlencoded";
    const body = isJson ? JSON.stringify(answer) : new URLSearchParams(stringsOf(answer)).toString();
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
  }

  #tokenFor(form: URLSearchParams): Readonly<Record<string, string | number>> {
    const { app, clientSecret, authenticator } = this.#options;
    if (form.get("client_id") !== app.clientId || !isSame(form.get("client_secret"), clientSecret)) {
      const error_description = "The client_id and/or client_secret passed are incorrect.";
      return { error: "incorrect_client_credentials", error_description };
    }
    const code = form.get("code") ?? "";
    const grant = this.#grants.get(code);
    this.#grants.delete(code);
    const verifier = form.get("code_verifier") ?? "";
    const proof = createHash("sha256").update(verifier).digest("base64url");
    const isProved = !grant?.challenge || isSame(proof, grant.challenge);
    if (!grant || grant.expiresAt <= Date.now() || !isProved) {
      const error_description = "The code passed is incorrect or expired.";
      return { error: "bad_verification_code", error_description };
    }
    if (new URL(form.get("redirect_uri") ?? grant.redirectUri).href !== grant.redirectUri) {
      const error_description =
        "The redirect_uri MUST match the registered callback URL for this application.";
      return { error: "redirect_uri_mismatch", error_description };
    }
    const access_token = authenticator.issueSignInToken(grant.account, tokenLifetimeS * 1_000);
    return { access_token, expires_in: tokenLifetimeS, scope: "", token_type: "bearer" };
  }

  #page(response: ServerResponse, status: number, body: string): void {
    const nonce = randomBytes(16).toString("base64");
    const headers = {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
    };
    const page = renderPage({ title: "Sign in", repository: null }, body, nonce);
    response.writeHead(status, headers).end(page);
  }
}

/** GitHub accepts the callback URLs of the App's settings, with any port on a loopback address. Here every App uses a loopback address. */
function readLoopback(text: string | null): URL | null {
  const url = URL.parse(text ?? "");
  return url && ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname) ? url : null;
}

function isSame(given: string | null, own: string): boolean {
  const [a, b] = [Buffer.from(given ?? ""), Buffer.from(own)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function stringsOf(answer: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, String(value)]));
}
