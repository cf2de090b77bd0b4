import { Agent, type IncomingMessage, request } from "node:http";

/** Without a limit of connections, because a live page keeps its own. */
const agent = new Agent({ keepAlive: true });

export interface Transfer {
  /** Of the body, as it was transferred. */
  readonly bytes: number;
  readonly body: Buffer;
}

/** Opens a page as a browser does, which accepts what compresses. Rejects when it is not answered with 200. */
export function openPage(url: string, cookie: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, "accept-encoding": "gzip, deflate, br, zstd" };
    const sending = request(url, { headers, agent }, (response) => {
      if (response.statusCode === 200) return resolve(response);
      reject(new Error(`${url} answered ${response.statusCode}`));
    });
    sending.on("error", reject);
    sending.end();
  });
}

export async function readPage(
  url: string,
  cookie: string,
): Promise<Transfer & { readonly encoding: string }> {
  const response = await openPage(url, cookie);
  const body = Buffer.concat(await response.toArray());
  return { bytes: body.length, body, encoding: response.headers["content-encoding"] ?? "identity" };
}

/** A page that is kept up to date, and what it has received. */
export class LivePage implements Disposable {
  readonly #response: IncomingMessage;
  #bytes = 0;

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
    });
    response.on("error", () => {});
  }

  static async open(url: string, cookie: string): Promise<LivePage> {
    return new LivePage(await openPage(url, cookie));
  }

  get bytes(): number {
    return this.#bytes;
  }

  [Symbol.dispose](): void {
    this.#response.destroy();
  }
}
