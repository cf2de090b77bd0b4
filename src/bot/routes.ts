import { createHmac, type Hmac, timingSafeEqual } from "node:crypto";
import type { FastifyPluginAsync, FastifyRequest, RequestPayload } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Probot } from "probot";
import { repositoryFileJsonSchema, schemaFileName } from "../command/parse-repository-file.ts";
import { eventNames } from "./deliveries/delivery.ts";
import { readPayload } from "./deliveries/read-delivery.ts";

interface ReceivedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly room: { release(): void };
}

interface ReceiveOptions {
  /** The announced length; null if it is unknown. */
  readonly announced: number | null;
  /** Maximum size of the body, in bytes. */
  readonly limit: number;
  /** Receives each piece as it arrives. */
  readonly see: (piece: Uint8Array) => void;
}

interface WebhookRouteOptions {
  readonly probot: Pick<Probot, "receive">;
  readonly path: string;
  /** The current secret, and the previous one while it is being rotated. */
  readonly secrets: readonly string[];
  /** Rejects with the answer to send when a body cannot be received. */
  readonly receive: (payload: RequestPayload, options: ReceiveOptions) => Promise<ReceivedBody>;
  /** Returns the fields of a large payload that handlers need; null when it is not a JSON object. Parsing it takes long. */
  readonly readLarge: (event: string, body: Uint8Array<ArrayBuffer>) => Promise<object | null>;
}

const maxBytes = 25 * 1024 * 1024;
/** GitHub's payloads consist of few and short values. Up to this size, one takes a few milliseconds to parse. */
const largeBytes = 256 * 1024;
const signatureForm = /^sha256=[0-9a-f]{64}$/i;
const retrySeconds = 10;

interface SignedBody extends ReceivedBody {
  readonly isSigned: boolean;
}

/**
 * Protects Probot, which by itself would read a body of any size before it checks the signature. Answers 413 over the limit, 400 for
 * missing headers or malformed JSON, 401 for a signature that none of the secrets made, 503 when the delivery cannot be stored, and 200
 * once it is durable. The body of a request without a signature is not read. Unverified bodies get only little memory, because everybody
 * can send here.
 */
export function webhookRoute({
  probot,
  path,
  secrets,
  receive,
  readLarge,
}: WebhookRouteOptions): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", async (request: FastifyRequest, payload: RequestPayload) => {
      const hmacs = secrets.map((secret) => createHmac("sha256", secret));
      const see = (piece: Uint8Array) => {
        for (const hmac of hmacs) hmac.update(piece);
      };
      const received = await receive(payload, { announced: announcedLength(request), limit: maxBytes, see });
      return { ...received, isSigned: isSigned(hmacs, String(request.headers["x-hub-signature-256"])) };
    });
    app.post(path, {
      bodyLimit: maxBytes,
      onRequest: async (request, reply) => {
        const refusal = refusalOf(request);
        if (!refusal) return;
        // Without this header, megabytes of the body would be received only to be discarded.
        if ((announcedLength(request) ?? largeBytes) >= largeBytes) reply.header("connection", "close");
        return reply.code(refusal.status).send({ error: refusal.error });
      },
      handler: async (request, reply) => {
        const body = request.body as SignedBody | undefined;
        try {
          if (!body?.isSigned) return reply.code(401).send({ error: notSigned });
          const event = String(request.headers["x-github-event"]);
          const id = String(request.headers["x-github-delivery"]);
          const { bytes } = body;
          const payload = bytes.length > largeBytes ? await readLarge(event, bytes) : readPayload(bytes);
          if (!payload) return reply.code(400).send({ error: "the body is not a JSON object" });
          if (!eventNames.has(event)) return { accepted: true };
          try {
            // The name decides which handlers run. Probot looks it up in an object, which also has `__proto__`.
            await probot.receive({ id, name: event, payload } as Parameters<Probot["receive"]>[0]);
          } catch (error) {
            request.log.error({ err: error, delivery: id, event }, "a webhook could not be stored");
            const notStored = { error: "the delivery could not be stored; redeliver it later" };
            return reply.code(503).header("retry-after", retrySeconds).send(notStored);
          }
          return { accepted: true };
        } finally {
          body?.room.release();
        }
      },
    });
  };
  return fastifyPlugin(plugin, { name: "webhooks", encapsulate: true });
}

const notSigned = "the signature does not match the webhook secret";

/** Returns why the headers alone rule out a body, so that none of it is read; null when it must be read. */
function refusalOf(request: FastifyRequest): { status: number; error: string } | null {
  const { headers } = request;
  if ((announcedLength(request) ?? 0) > maxBytes)
    return { status: 413, error: "the body is larger than 25 MiB" };
  if (!headers["x-github-event"] || !headers["x-github-delivery"])
    return { status: 400, error: "x-github-event and x-github-delivery are required" };
  return signatureForm.test(String(headers["x-hub-signature-256"]))
    ? null
    : { status: 401, error: notSigned };
}

function announcedLength({ headers }: FastifyRequest): number | null {
  const length = headers["content-length"];
  return length === undefined ? null : Number(length);
}

function isSigned(hmacs: readonly Hmac[], signature: string): boolean {
  const given = Buffer.from(signature.slice("sha256=".length), "hex");
  const made = hmacs.map((hmac) => hmac.digest());
  return made.filter((digest) => timingSafeEqual(digest, given)).length > 0;
}

const route: FastifyPluginAsync = async (app) => {
  const schema = JSON.stringify(repositoryFileJsonSchema(), null, 2);
  app.get(`/${schemaFileName}`, (_request, reply) =>
    reply.type("application/schema+json").header("access-control-allow-origin", "*").send(schema),
  );
};

/** Serves the JSON Schema of `.github/trainyard.yml` to editors. It is public, for pages of any origin. */
export const schemaRoute = fastifyPlugin(route, { name: "schema", encapsulate: true });
