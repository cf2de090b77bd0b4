import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** GitHub's pages and endpoints that create an App, and that answer one. */
export class AppCreation {
  readonly codes: string[] = [];
  readonly versions: unknown[] = [];
  /** The paths and bodies of the forms that browsers sent. */
  readonly forms: { path: string; manifest: Record<string, unknown> }[] = [];
  readonly key = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  }).privateKey;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<AppCreation> {
    const github = new AppCreation();
    await once(github.#server.listen(0, "127.0.0.1"), "listening");
    return github;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://github");
    const [, code] = /^\/api\/v3\/app-manifests\/([^/]+)\/conversions$/.exec(pathname) ?? [];
    const reply = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const app = {
      id: 7,
      slug: "yard",
      html_url: "https://github.example/apps/yard",
      permissions: {},
      events: [],
    };
    if (code !== undefined) {
      this.codes.push(code);
      this.versions.push(request.headers["x-github-api-version"]);
      if (code === "expired") return void reply(404, { message: "Not Found" });
      return void reply(201, {
        ...app,
        client_id: "Iv1.0",
        client_secret: "s",
        webhook_secret: "w",
        pem: this.key,
      });
    }
    if (pathname === "/api/v3/app") {
      const claims = /^bearer [\w-]+\.([\w-]+)\./i.exec(request.headers.authorization ?? "")?.[1] ?? "";
      const { iss } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { iss: number };
      return void (iss === 7 ? reply(200, app) : reply(404, { message: "Integration not found" }));
    }
    if (/\/settings\/apps\/new$/.test(pathname)) {
      const manifest = JSON.parse(new URLSearchParams(await text(request)).get("manifest") ?? "{}");
      this.forms.push({ path: pathname, manifest });
      const state = searchParams.get("state");
      response.writeHead(302, { location: `${manifest.redirect_url}?code=good&state=${state}` }).end();
      return;
    }
    response.writeHead(404).end();
  }
}
