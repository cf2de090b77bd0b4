import type { ForkClaim } from "../../service/queues/fork-runs.ts";
import { readSaid, type Said } from "../access/said.ts";
import { type EndpointName, endpoints } from "../endpoints.ts";
import { forkClaims, isForkEndpoint } from "../schema/fork-claim.ts";
import { type ParsedBody, parseBody } from "./parse-body.ts";
import { parseJson } from "./parse-json.ts";

/** A body as its endpoint needs it. Anything else that was sent is dropped. */
export interface ReadRequest {
  readonly parsed: ParsedBody<unknown>;
  readonly said: Said;
  /** The facts that a fork's run has to prove; null for an endpoint that accepts no forks' runs. */
  readonly claim: ParsedBody<ForkClaim> | null;
}

/** @throws ProblemError 400 when it is not JSON, or too complex. */
export function readRequest(name: EndpointName, body: Buffer): ReadRequest {
  return readValue(name, parseRequest(name, body));
}

/** Returns the value of a JSON body. @throws ProblemError 400 when it is not JSON, or too complex. */
export function parseRequest(name: EndpointName, body: Buffer): unknown {
  const { parse }: { parse?: (body: Buffer) => unknown } = endpoints[name];
  return parse?.(body) ?? parseJson(body);
}

/** Reads the value of a JSON body; undefined = there is no body. */
export function readValue(name: EndpointName, value: unknown): ReadRequest {
  return {
    parsed: parseBody(endpoints[name].body, value),
    said: readSaid(value),
    claim: isForkEndpoint(name) ? parseBody(forkClaims[name], value) : null,
  };
}
