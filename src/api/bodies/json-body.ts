import type { FastifyInstance, FastifyRequest, RequestPayload } from "fastify";
import { type BodyOptions, type HeldBody, readBody } from "./read-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The memory that is reserved for the body. */
    bodyRoom: HeldBody["room"] | null;
  }
}

export interface JsonBodies {
  /** Maximum size of a body, in bytes. */
  readonly limit: number;
  /** Returns the budget for a body and further options for reading it. */
  readonly optionsOf: (request: FastifyRequest) => Omit<BodyOptions, "told" | "limit">;
  /** Parses the bytes of a body. */
  readonly read: (request: FastifyRequest, body: Uint8Array<ArrayBuffer>) => unknown;
}

/** Accepts JSON bodies, and no others, in the scope of a plugin. The request's handler releases the room of the body. */
export function acceptJson(app: FastifyInstance, { limit, optionsOf, read }: JsonBodies): void {
  app.removeAllContentTypeParsers();
  app.decorateRequest("bodyRoom", null);
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: RequestPayload) => {
    const options = { ...optionsOf(request), told: toldLength(request), limit };
    const { bytes, room } = await readBody(payload, options);
    try {
      const body = await read(request, bytes);
      request.bodyRoom = room;
      return body;
    } catch (error) {
      room.release();
      throw error;
    }
  });
}

/**
 * Returns the announced length of a body. It is unknown (null) for a compressed body: its content-length is not that of the
 * JSON.
 */
export function toldLength({ headers }: FastifyRequest): number | null {
  const length = headers["content-length"];
  return length === undefined || headers["content-encoding"] ? null : Number(length);
}
