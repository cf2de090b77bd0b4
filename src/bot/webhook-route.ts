import { verify } from "@octokit/webhooks-methods";
import type { FastifyPluginAsync } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { Probot } from "probot";

export interface WebhookRouteParts {
  readonly probot: Probot;
  readonly path: string;
  /** The current secret, and the previous one while it is being rotated. */
  readonly secrets: readonly string[];
}

/** GitHub sends no payload that is larger. */
const maxBytes = 25 * 1024 * 1024;

/**
 * The guard in front of Probot, which by itself would read a body of any size before it looks at the signature. Answers 413
 * over the limit, 400 for missing headers or malformed JSON, 401 for a signature that none of the secrets made, and 200
 * once the delivery is durable.
 */
export function webhookRoute({ probot, path, secrets }: WebhookRouteParts): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: maxBytes }, (_request, body, done) =>
      done(null, body),
    );
    app.post(path, { bodyLimit: maxBytes }, async (request, reply) => {
      const event = request.headers["x-github-event"];
      const id = request.headers["x-github-delivery"];
      const signature = request.headers["x-hub-signature-256"];
      if (typeof event !== "string" || typeof id !== "string") {
        return reply.code(400).send({ error: "x-github-event and x-github-delivery are required" });
      }
      const body = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
      if (typeof signature !== "string" || !(await isSigned(body, signature, secrets))) {
        return reply.code(401).send({ error: "the signature does not match the webhook secret" });
      }
      const payload = parseObject(body);
      if (!payload) return reply.code(400).send({ error: "the body is not a JSON object" });
      // The name decides which handlers run, and Probot's types know every name that GitHub sends.
      await probot.receive({ id, name: event, payload } as Parameters<Probot["receive"]>[0]);
      return { accepted: true };
    });
  };
  return fastifyPlugin(plugin, { name: "webhooks", encapsulate: true });
}

async function isSigned(body: string, signature: string, secrets: readonly string[]): Promise<boolean> {
  const results = await Promise.all(secrets.map((secret) => body !== "" && verify(secret, body, signature)));
  return results.includes(true);
}

function parseObject(body: string): object | null {
  try {
    const payload: unknown = JSON.parse(body);
    return typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload : null;
  } catch {
    return null;
  }
}
