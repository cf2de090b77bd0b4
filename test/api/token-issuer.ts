import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

export const audience = "https://trainyard.example";

/** Issues tokens as GitHub does for workflows, and publishes its keys over HTTP. */
export class TokenIssuer {
  readonly url: string;
  /** The number of requests for the keys. */
  asked = 0;
  readonly #server: Server;
  #keys: { kid: string; publicKey: CryptoKey; privateKey: CryptoKey }[] = [];
  #broken = false;
  #claims: Record<string, unknown> = {};
  /** Every token that was issued to a job. */
  readonly issued: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_services/token`;
    server.on("request", async (request, response) => {
      if (request.url?.startsWith("/request?"))
        return void (await this.#answerJob(request.url, request.headers.authorization, response));
      this.asked += 1;
      if (this.#broken) return void response.writeHead(500).end("no keys today");
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(await this.jwks()));
    });
  }

  static async start(): Promise<TokenIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const issuer = new TokenIssuer(server);
    await issuer.rotate("first");
    return issuer;
  }

  get keysUrl(): string {
    return `${this.url}/.well-known/jwks`;
  }

  /** The settings of a service that accepts these tokens. */
  get settings() {
    return { issuer: this.url, audience, keysUrl: this.keysUrl, cooldownMs: 0 };
  }

  /** The environment of a job with `id-token: write`, whose tokens have these claims. */
  jobEnvironment(claims: Record<string, unknown>): Record<string, string> {
    this.#claims = claims;
    return {
      ACTIONS_ID_TOKEN_REQUEST_URL: new URL("/request?api-version=2.0", this.url).href,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "the-job-may-ask",
    };
  }

  /** As GitHub does: https://docs.github.com/en/actions/reference/security/oidc */
  async #answerJob(url: string, authorization: string | undefined, response: ServerResponse): Promise<void> {
    const isAllowed = authorization?.toLowerCase() === "bearer the-job-may-ask";
    if (!isAllowed) return void response.writeHead(403).end('{"message":"Not allowed"}');
    const aud = new URL(url, this.url).searchParams.get("audience");
    const value = await this.issue({ ...this.#claims, aud });
    this.issued.push(value);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ value }));
  }

  /** Replaces the key, which then is the only one published. */
  async rotate(kid: string): Promise<void> {
    this.#keys = [{ kid, ...(await generateKeyPair("RS256")) }];
  }

  /** Makes requests for the keys fail, or succeed again. */
  fail(broken: boolean): void {
    this.#broken = broken;
  }

  async jwks() {
    const keys = this.#keys.map(async ({ kid, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg: "RS256",
      use: "sig",
    }));
    return { keys: await Promise.all(keys) };
  }

  /**
   * A token of a workflow of acme/widgets, triggered by a push to main. `claims` override that; null removes
   * a claim.
   */
  async issue(
    claims: Record<string, unknown> = {},
    { kid, key }: { kid?: string; key?: CryptoKey } = {},
  ): Promise<string> {
    const [current] = this.#keys;
    if (!current) throw new Error("there is no key");
    return new SignJWT(payload(this.url, claims))
      .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: kid ?? current.kid })
      .sign(key ?? current.privateKey);
  }

  /** A token with a chosen header and signature. */
  async forge(header: object, sign: (text: string, publicKey: string) => string): Promise<string> {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const { keys } = await this.jwks();
    const text = `${encode(header)}.${encode(payload(this.url, {}))}`;
    return `${text}.${sign(text, JSON.stringify(keys[0]))}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Source: the example of GitHub's "OpenID Connect reference". */
function payload(iss: string, claims: Record<string, unknown>): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const all = {
    iss,
    aud: audience,
    sub: "repo:acme/widgets:ref:refs/heads/main",
    jti: "1",
    iat: now,
    nbf: now - 10,
    exp: now + 300,
    repository: "acme/widgets",
    repository_owner: "acme",
    event_name: "push",
    ref: "refs/heads/main",
    sha: "a".repeat(40),
    workflow: "CI",
    run_id: "1",
    ...claims,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}
