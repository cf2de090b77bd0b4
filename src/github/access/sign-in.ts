import { Octokit } from "@octokit/rest";
import * as oauth from "oauth4webapi";
import type { RestVersionPin } from "../client/rest-version.ts";

/** A person on GitHub, identified by the id: the login can change, and can pass to another account. */
export interface Person {
  readonly id: number;
  readonly login: string;
}

/** What the browser keeps while it is at GitHub, so that no other browser can finish its sign-in. */
export interface PendingSignIn {
  readonly state: string;
  /** PKCE: proves to GitHub that the same browser returns. */
  readonly verifier: string;
}

/** A person waits for the page. */
const timeoutMs = 10_000;

/**
 * Lets people sign in with their GitHub account, by the App's OAuth flow. This only identifies the person. Their token is not kept:
 * permissions are read with the App's own access, as for the author of a comment.
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
 */
export class GitHubSignIn {
  readonly #server: oauth.AuthorizationServer;
  readonly #client: oauth.Client;
  readonly #secret: string;
  readonly #apiUrl: string;
  readonly #pin: RestVersionPin;

  /** @param github its addresses for browsers and for the REST API */
  constructor(
    github: { readonly webUrl: string; readonly apiUrl: string },
    pin: RestVersionPin,
    { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
  ) {
    this.#server = {
      issuer: github.webUrl,
      authorization_endpoint: `${github.webUrl}/login/oauth/authorize`,
      token_endpoint: `${github.webUrl}/login/oauth/access_token`,
    };
    this.#client = { client_id: clientId };
    this.#secret = clientSecret;
    this.#apiUrl = github.apiUrl;
    this.#pin = pin;
  }

  /** Returns the page of GitHub that asks the visitor for consent, and what the browser has to keep until it returns. */
  async begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }> {
    const pending = { state: oauth.generateRandomState(), verifier: oauth.generateRandomCodeVerifier() };
    const url = new URL(this.#server.authorization_endpoint ?? "");
    url.search = new URLSearchParams({
      client_id: this.#client.client_id,
      redirect_uri: redirectUri,
      state: pending.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: "S256",
    }).toString();
    return { url: url.href, pending };
  }

  /**
   * Identifies the person who returns from GitHub.
   *
   * @param returned the address at which the browser arrived, with GitHub's parameters
   *
   * @throws when GitHub or the visitor refused, when another browser returns than the one that began, or when GitHub does not answer
   */
  async finish(returned: URL, redirectUri: string, { state, verifier }: PendingSignIn): Promise<Person> {
    const parameters = oauth.validateAuthResponse(this.#server, this.#client, returned, state);
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await oauth.authorizationCodeGrantRequest(
      this.#server,
      this.#client,
      oauth.ClientSecretPost(this.#secret),
      parameters,
      redirectUri,
      verifier,
      // An Enterprise Server inside a private network, and the sandbox, may have no certificate.
      { signal, [oauth.allowInsecureRequests]: this.#server.issuer.startsWith("http:") },
    );
    const granted = await oauth.processAuthorizationCodeResponse(this.#server, this.#client, response);
    const silent = () => {};
    const octokit = new Octokit({
      auth: granted.access_token,
      baseUrl: this.#apiUrl,
      userAgent: "trainyard",
      log: { debug: silent, info: silent, warn: silent, error: silent },
    });
    this.#pin.pin(octokit);
    const { data } = await octokit.rest.users.getAuthenticated({ request: { signal } });
    return { id: data.id, login: data.login };
  }
}
