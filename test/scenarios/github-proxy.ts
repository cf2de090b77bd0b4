import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";

interface Interruption {
  readonly method: string;
  readonly path: RegExp;
  readonly body: RegExp | null;
  readonly act: () => Promise<void>;
  readonly isRepeated: boolean;
}

interface Rewriting {
  readonly method: string;
  readonly path: RegExp;
  readonly change: (body: string) => string;
  readonly options: RewriteOptions;
}

export interface RewriteOptions {
  /** The number of answers to change; all by default. */
  readonly times?: number;
  /** Keep the ETag of the unchanged body, as a proxy that damages bodies does. */
  readonly keepEtag?: boolean;
  /** Announce the length of the unchanged body, and close the connection after the changed one. */
  readonly breakOff?: boolean;
}

/** A proxy between the service and a local GitHub. It can hold up requests, change answers and cut the connection. */
export class GitHubProxy {
  readonly host: string;
  readonly #server: Server;
  readonly #githubUrl: string;
  #interruption: Interruption | null = null;
  #rewritings: { rewriting: Rewriting; left: number }[] = [];
  #isCut = false;

  private constructor(server: Server, githubUrl: string) {
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    this.#githubUrl = githubUrl;
    server.on("request", (asked, answer) => {
      this.#forward(asked, answer).catch(() => answer.destroy());
    });
  }

  static async start(githubUrl: string): Promise<GitHubProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new GitHubProxy(server, githubUrl);
  }

  /** Holds up the next matching request until `act` is done. */
  beforeNext(method: string, path: RegExp, act: () => Promise<void>): void {
    this.#interruption = { method, path, body: null, act, isRepeated: false };
  }

  /** Holds up the next GraphQL request with a matching query until `act` is done. */
  beforeNextQuery(query: RegExp, act: () => Promise<void>): void {
    this.#interruption = { method: "POST", path: /\/graphql$/, body: query, act, isRepeated: false };
  }

  /** Holds up each GraphQL request with a matching query until `act` is done. */
  beforeEachQuery(query: RegExp, act: () => Promise<void>): void {
    this.beforeEach("POST", /\/graphql$/, query, act);
  }

  /** Holds up each request whose path and body match until `act` is done. */
  beforeEach(method: string, path: RegExp, body: RegExp, act: () => Promise<void>): void {
    this.#interruption = { method, path, body, act, isRepeated: true };
  }

  /** Changes GitHub's answers to matching requests. When several rewritings match, the newest applies. */
  rewrite(
    method: string,
    path: RegExp,
    change: (body: string) => string,
    options: RewriteOptions = {},
  ): void {
    const { times: left = Number.POSITIVE_INFINITY } = options;
    this.#rewritings.unshift({ rewriting: { method, path, change, options }, left });
  }

  /** Drops all requests from now on, including those under way. */
  cut(): void {
    this.#isCut = true;
    this.#server.closeAllConnections();
  }

  restore(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #takeRewriting(method: string, url: string): Rewriting | null {
    const found = this.#rewritings.find(
      ({ rewriting, left }) => left > 0 && rewriting.method === method && rewriting.path.test(url),
    );
    if (!found) return null;
    found.left -= 1;
    return found.rewriting;
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = asked;
    if (this.#isCut) return void answer.destroy();
    const asking = await this.#holdUp(method, url, asked);
    if (this.#isCut) return void answer.destroy();
    const rewriting = this.#takeRewriting(method, url);
    const forwarded = request(new URL(url, this.#githubUrl), { method, headers }, (answered) => {
      if (rewriting) return void answerChanged(answered, answer, rewriting).catch(() => answer.destroy());
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    forwarded.on("error", () => answer.destroy());
    asking.pipe(forwarded);
  }

  /** Returns the body to forward. */
  async #holdUp(method: string, url: string, asked: IncomingMessage): Promise<Readable> {
    const interruption = this.#interruption;
    if (interruption?.method !== method || !interruption.path.test(url)) return asked;
    const body = interruption.body === null ? null : await buffer(asked);
    if (body === null || interruption.body?.test(body.toString("utf8"))) {
      if (!interruption.isRepeated) this.#interruption = null;
      await interruption.act();
    }
    return body === null ? asked : Readable.from([body]);
  }
}

async function answerChanged(
  answered: IncomingMessage,
  answer: ServerResponse,
  { change, options }: Rewriting,
): Promise<void> {
  const body = await text(answered);
  const { "content-length": length, etag, ...headers } = answered.headers;
  answer.writeHead(answered.statusCode ?? 502, {
    ...headers,
    ...(options.keepEtag && etag !== undefined ? { etag } : {}),
    ...(options.breakOff && length !== undefined ? { "content-length": length } : {}),
  });
  const changed = body === "" ? body : change(body);
  if (!options.breakOff) return void answer.end(changed);
  answer.write(changed);
  setTimeout(() => answer.destroy(), 20);
}
