import { createHash, type Hash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { IdempotencyStore, KeyedRequest } from "../ports/idempotency-store.ts";
import type { Principal } from "../service/token-service.ts";
import type { Served } from "./endpoint.ts";
import { ProblemError } from "./problem.ts";

const header = "idempotency-key";
const keys = /^[\x21-\x7e]{1,255}$/;
const keptMs = 24 * 60 * 60_000;
/** Longer than any command takes. */
const stalledMs = 60_000;

/** Makes room for what the body of a request is, so that a key can stand for it. */
export function decorateDigest(app: FastifyInstance): void {
  app.decorateRequest("bodyDigest", null);
}

/** Takes note of a body as it arrives; undefined where nobody asks what it was. */
export function noteBody(request: FastifyRequest): ((piece: Buffer) => void) | undefined {
  if (request.headers[header] === undefined) return undefined;
  const digest = createHash("sha256");
  request.setDecorator("bodyDigest", digest);
  return (piece) => void digest.update(piece);
}

export interface OnceParts {
  readonly store: IdempotencyStore;
  readonly now: () => number;
  /** What is kept of an answer: a secret is not. */
  readonly keep: (answer: unknown) => string;
}

/**
 * Serves a command with an `Idempotency-Key` once: when the same comes again within a day, it is answered as it was the first
 * time. Only what was done is remembered; what was refused can be tried again under its key.
 *
 * @throws ProblemError 400 for a key that is none, 409 for one that stands for another command or one that is under way.
 */
export async function serveOnce(
  { store, now, keep }: OnceParts,
  request: FastifyRequest,
  endpoint: string,
  serve: () => Promise<Served>,
): Promise<Served> {
  const keyed = keyedRequest(request, endpoint);
  if (keyed === null) return serve();
  const began = now();
  const state = await store.begin(keyed, { now: began, expired: began - keptMs, stalled: began - stalledMs });
  switch (state.kind) {
    case "answered":
      return { ok: true, answer: JSON.parse(state.answer) };
    case "other_request":
      throw conflict(
        "This idempotency-key was sent with another request. Make up a new key for each command.",
      );
    case "under_way":
      throw conflict(
        "The request with this idempotency-key is still being served. Send it again in a second.",
      );
    case "new":
      return remember(store, keyed, keep, serve);
  }
}

async function remember(
  store: IdempotencyStore,
  keyed: KeyedRequest,
  keep: OnceParts["keep"],
  serve: () => Promise<Served>,
) {
  let served: Served | undefined;
  try {
    served = await serve();
    return served;
  } finally {
    if (served?.ok) await store.finish(keyed, keep(served.answer));
    else await store.forget(keyed);
  }
}

function keyedRequest(request: FastifyRequest, endpoint: string): KeyedRequest | null {
  const key = request.headers[header];
  if (key === undefined) return null;
  if (typeof key !== "string" || !keys.test(key)) {
    throw new ProblemError({
      code: "BAD_REQUEST",
      detail:
        "An idempotency-key has 1 to 255 visible ASCII characters; a UUID for each command is a good one.",
    });
  }
  // What one workflow was answered is not for another repository to ask for.
  const { organisation, repository } = request.getDecorator<Principal>("principal");
  const digest = request.getDecorator<Hash | null>("bodyDigest") ?? createHash("sha256");
  const body = digest.digest("base64url");
  return { organisation: repository ?? organisation ?? "", key, request: `${endpoint} ${body}` };
}

function conflict(detail: string): ProblemError {
  return new ProblemError({ code: "IDEMPOTENCY_CONFLICT", detail, headers: { "retry-after": "1" } });
}
