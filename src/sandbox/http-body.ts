import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";

/** Reads a request's whole body, unpacked if it comes with gzip. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}
