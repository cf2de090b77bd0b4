import type { ServerResponse } from "node:http";

/** An HTTP response as it is sent. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  /** Null = the status permits no body. */
  readonly content: Buffer | null;
  /** The connection is destroyed after this many bytes of the content; "headless" = before any response. */
  readonly breaksOff?: number | "headless";
}

export const jsonReply = (status: number, body: unknown, headers: Reply["headers"] = {}): Reply => {
  const content = Buffer.from(JSON.stringify(body));
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-length": content.length,
      ...headers,
    },
    content,
  };
};

export const htmlReply = (status: number, html: string): Reply => {
  const content = Buffer.from(html);
  return { status, headers: { "content-type": "text/html", "content-length": content.length }, content };
};

export const noReply: Reply = { status: 0, headers: {}, content: null, breaksOff: "headless" };

export function sendReply(response: ServerResponse, { status, headers, content, breaksOff }: Reply): void {
  if (breaksOff === "headless") {
    // Sends a reset, not an orderly end.
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(status, { ...headers });
  if (breaksOff === undefined) response.end(content ?? undefined);
  else response.write(content?.subarray(0, breaksOff), () => response.socket?.destroy());
}
