import type { FastifyInstance, FastifyRequest, RequestPayload } from "fastify";
import { type BodyOptions, type HeldBody, readBody } from "./read-body.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What the body takes of the memory. */
    bodyRoom: HeldBody["room"] | null;
  }
}

export interface JsonBodies {
  /** Bytes. */
  readonly limit: number;
  /** Whose room a body takes, and what else there is to its reading. */
  readonly optionsOf: (request: FastifyRequest) => Omit<BodyOptions, "told" | "limit">;
  /** What is made of the bytes of a body. */
  readonly read: (request: FastifyRequest, body: Uint8Array<ArrayBuffer>) => unknown;
}

/** Reads JSON bodies, and nothing else, in the scope of a plugin. The request's handler releases its share of the budget. */
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

/** Of a body that was compressed, it is another's length. */
export function toldLength({ headers }: FastifyRequest): number | null {
  const length = headers["content-length"];
  return length === undefined || headers["content-encoding"] ? null : Number(length);
}
