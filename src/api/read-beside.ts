import { PassThrough, type Readable } from "node:stream";

/**
 * Reads what it likes of a body. The rest is taken off the wire afterwards, so that a client that is still sending gets to see
 * the answer.
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
