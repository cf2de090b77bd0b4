import type { IncomingMessage } from "node:http";
import { gunzipSync } from "node:zlib";

/** The client disconnected before it had sent its whole request. No response is possible or needed. */
export class HungUp extends Error {
  override readonly name = "HungUp";
}

/**
 * Reads the whole body of a request, and unpacks gzip.
 * @throws HungUp
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
  } catch (cause) {
    if (request.complete) throw cause;
    throw new HungUp("The client hung up in the middle of its request.", { cause });
  }
  const body = Buffer.concat(chunks);
  return request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body;
}
