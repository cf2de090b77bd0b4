import { createHash, type Hash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Principal } from "../../service/access/tokens.ts";
import type { IdempotencyStore, KeyedRequest } from "../../store/leased/idempotency-store.ts";
import type { Served } from "../endpoint.ts";
import { ProblemError } from "../problems/problem.ts";

const header = "idempotency-key";
const keys = /^[\x21-\x7e]{1,255}$/;
const keptMs = 24 * 60 * 60_000;
/** Longer than any command takes. */
const stalledMs = 60_000;

/** Registers the request field for the digest of the body, to which an idempotency key is bound. */
export function decorateDigest(app: FastifyInstance): void {
  app.decorateRequest("bodyDigest", null);
}

/** Returns a function that hashes a body as it arrives; undefined for a request without an idempotency key. */
export function noteBody(request: FastifyRequest): ((piece: Buffer) => void) | undefined {
  if (request.headers[header] === undefined) return undefined;
  const digest = createHash("sha256");
  request.setDecorator("bodyDigest", digest);
  return (piece) => void digest.update(piece);
}

export interface AnswerMemory {
  readonly store: IdempotencyStore;
  readonly now: () => number;
  /** Renders the part of an answer that is stored, without secrets. */
  readonly keep: (answer: unknown) => string;
}

/**
 * Serves a command with an `Idempotency-Key` once: the same request within a day gets the first answer again. Only successful
 * commands are remembered. A refused command can be tried again under its key.
 *
 * @throws ProblemError 400 for an invalid key, 409 for a key of another request or of one that is still in progress.
 */
export async function serveOnce(
  { store, now, keep }: AnswerMemory,
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
      throw new ProblemError({
        code: "IDEMPOTENCY_CONFLICT",
        detail: "This idempotency-key was sent with another request. Use a new key for each command.",
      });
    case "under_way":
      throw new ProblemError({
        code: "IDEMPOTENCY_IN_PROGRESS",
        detail: "The request with this idempotency-key is still being served. Send it again in a second.",
        headers: { "retry-after": "1" },
      });
    case "new":
      return remember(store, keyed, keep, serve);
  }
}

async function remember(
  store: IdempotencyStore,
  keyed: KeyedRequest,
  keep: AnswerMemory["keep"],
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
        "An idempotency-key has 1 to 255 visible ASCII characters. Use a UUID for each command, for example.",
    });
  }
  // Keys are per repository: one repository's workflow must not read the answer to another's.
  const { organisation, repository } = request.getDecorator<Principal>("principal");
  const digest = request.getDecorator<Hash | null>("bodyDigest") ?? createHash("sha256");
  const body = digest.digest("base64url");
  return { organisation: repository ?? organisation ?? "", key, request: `${endpoint} ${body}` };
}
