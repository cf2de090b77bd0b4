import type { ForkClaim } from "../service/fork-runs.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import { type ParsedBody, parseBody } from "./parse-body.ts";
import { parseJson } from "./parse-json.ts";
import { readSaid, type Said } from "./said.ts";
import { forkClaims, isForkEndpoint } from "./schema/fork-claim.ts";

/** A body as its endpoint wants it, and nothing else of what was sent. */
export interface ReadRequest {
  readonly parsed: ParsedBody<unknown>;
  readonly said: Said;
  /** What a fork's run has to prove; null where none is accepted. */
  readonly claim: ParsedBody<ForkClaim> | null;
}

/** @throws ProblemError 400 when it is not JSON, or too much of it. */
export function readRequest(name: EndpointName, body: Buffer): ReadRequest {
  return readValue(name, parseRequest(name, body));
}

/** What the JSON of a body holds. @throws ProblemError 400 when it is not JSON, or too much of it. */
export function parseRequest(name: EndpointName, body: Buffer): unknown {
  const { parse }: { parse?: (body: Buffer) => unknown } = endpoints[name];
  return parse?.(body) ?? parseJson(body);
}

/** Of what the JSON holds; undefined: there is no body. */
export function readValue(name: EndpointName, value: unknown): ReadRequest {
  return {
    parsed: parseBody(endpoints[name].body, value),
    said: readSaid(value),
    claim: isForkEndpoint(name) ? parseBody(forkClaims[name], value) : null,
  };
}
