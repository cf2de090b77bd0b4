import { PassThrough, type Readable } from "node:stream";

/**
 * Lets `read` consume the part of a body that it needs, then discards the rest. Otherwise a client that is still sending
 * would miss the answer.
 */
export async function readBeside<Value>(
  payload: Readable,
  read: (pieces: AsyncIterable<Buffer>) => Promise<Value>,
): Promise<Value> {
  const pieces = new PassThrough();
  const cutOff = (error?: Error) => void pieces.destroy(error ?? new Error("the body was cut off"));
  pieces.on("error", () => {});
  payload.on("error", cutOff).once("close", () => payload.readableEnded || cutOff());
  payload.pipe(pieces);
  try {
    return await read(pieces);
  } finally {
    payload.unpipe(pieces).resume();
    pieces.destroy();
  }
}
