import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";

export interface Post {
  /** The path below the service's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface PostAnswer {
  /** 0 = the connection was closed before there was an answer. */
  readonly status: number;
  readonly retryAfter: string | null;
}

/** Sends all posts at the same time, each over its own connection. Resolves once all were answered. */
export async function sendPosts(url: string, posts: readonly Post[]): Promise<readonly PostAnswer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  try {
    return await Promise.all(posts.map((post) => sendPost(url, post, agent)));
  } finally {
    agent.destroy();
  }
}

/** Stops sending when the answer arrives, like most clients. */
async function sendPost(url: string, { path, headers, body }: Post, agent: Agent): Promise<PostAnswer> {
  const sending = request(url + path, {
    method: "POST",
    agent,
    headers: { ...headers, "content-length": body.length },
  });
  sending.end(body);
  try {
    const [response] = (await once(sending, "response")) as [IncomingMessage];
    response.resume().on("error", () => {});
    return {
      status: response.statusCode ?? 0,
      retryAfter: (response.headers["retry-after"] as string | undefined) ?? null,
    };
  } catch {
    return { status: 0, retryAfter: null };
  } finally {
    sending.on("error", () => {}).destroy();
  }
}
