import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { commandPrefix } from "../engine/model/refusal.ts";
import { bundleRoute } from "../flaky/endpoints/bundle-route.ts";
import type { Principal } from "../service/access/tokens.ts";
import { admitPerson } from "./access/admit-person.ts";
import { isOfStranger, RequestAudit } from "./access/audit.ts";
import { guard, type Requirement } from "./access/authenticate.ts";
import { forkUploads } from "./access/fork-uploads.ts";
import { decorateDigest, noteBody, serveOnce } from "./access/idempotency.ts";
import { counted, countRequests } from "./access/rate-limit.ts";
import type { ApiServices } from "./api-plugin.ts";
import { acceptJson, announcedLength, decodeBody } from "./bodies/accept-json.ts";
import { botBudget, forkLanes, tokenLanes } from "./bodies/body-budget.ts";
import type { ParsedBody } from "./bodies/parse-json.ts";
import type { BodyOptions } from "./bodies/read-body.ts";
import {
  type AuditSubject,
  type ForkEndpoint,
  isForkEndpoint,
  type ReadRequest,
  readValue,
  requestOnServedHost,
} from "./bodies/read-request.ts";
import { RequestReader } from "./bodies/request-reader.ts";
import type { Call, Served } from "./endpoint.ts";
import { type EndpointName, endpoints, pathOf } from "./endpoints.ts";
import { serveMetrics } from "./metrics/metrics-route.ts";
import { unknownQuery } from "./problems/field-errors.ts";
import { handleError, sendProblem } from "./problems/handle-error.ts";
import { type Problem, ProblemError } from "./problems/problem.ts";
import { writeAnswer } from "./send-answer.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    endpoint?: EndpointName;
  }
}

const mebibyte = 1024 * 1024;
const maxBodyBytes = 20 * mebibyte;
/** Maximum number of bytes that are read from a fork's run before it is verified. */
const unprovenBytes = mebibyte;

interface Shared {
  readonly services: ApiServices;
  readonly trail: RequestAudit;
  readonly forks: ReturnType<typeof forkUploads>;
}

/** A request to an endpoint by somebody who may use it. */
interface AdmittedRequest {
  readonly name: EndpointName;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly principal: Principal;
}

/** The endpoints and the metrics below `/v1`. */
export async function serveEndpoints(app: FastifyInstance, services: ApiServices): Promise<void> {
  await countRequests(app, services.requestsPerSecond, (key) => services.requestCounts.add(key));
  app.setErrorHandler((error, request, reply) => handleError(namingTheWayOut(error), request, reply));
  app.decorateRequest("principal");
  decorateDigest(app);
  const trail = new RequestAudit(services.audit);
  const shared: Shared = { services, trail, forks: forkUploads(app, services) };
  acceptBodies(app, shared);
  await app.register(bundleRoute(services.bundles));
  const admit = (action: string, required: Requirement) => guard(services, trail, action, required);
  serveMetrics(app, admit, services);
  for (const name of Object.keys(endpoints) as EndpointName[]) app.route(routeOf(shared, name));
}

/** Reads bodies, each within the memory that its sender may use. */
function acceptBodies(app: FastifyInstance, shared: Shared): void {
  const { forks, services } = shared;
  const reader = new RequestReader(services.parsing);
  const [ofTokens, ofForks, ofOurBot] = [tokenLanes(), forkLanes(), botBudget()];
  const roomOf = (request: FastifyRequest): Pick<BodyOptions, "budget" | "gate"> => {
    const principal = request.getDecorator<Principal>("principal");
    if (principal.kind === "bot") return { budget: ofOurBot };
    if (principal.kind !== "fork_run") return ofTokens.of(announcedLength(request));
    const name = endpointOf(request);
    const note = refusalNote(shared, { name, request, principal });
    const pass = (beginning: Buffer) => forks.prove(request, forkEndpoint(name), principal, beginning, note);
    return { budget: ofForks.small, gate: { at: unprovenBytes, budget: ofForks.large, pass } };
  };
  acceptJson(app, {
    limit: maxBodyBytes,
    optionsOf: (request) => ({ ...roomOf(request), see: noteBody(request) }),
    read: async (request, body) =>
      requestOnServedHost(await reader.read(endpointOf(request), body), services.servedHost),
  });
}

function routeOf(shared: Shared, name: EndpointName): RouteOptions {
  const { services, trail, forks } = shared;
  return {
    method: "POST",
    url: pathOf(name).slice("/v1".length),
    config: { ...counted.config, endpoint: name },
    bodyLimit: maxBodyBytes,
    onRequest: [
      guard(services, trail, name, endpoints[name]),
      async (request) => {
        const { kind } = request.getDecorator<Principal>("principal");
        if (kind === "fork_run") await forks.countAddress(request);
      },
    ],
    preParsing: async (request, _reply, payload) => decodeBody(request, payload, maxBodyBytes),
    handler: async (request, reply) => {
      const principal = request.getDecorator<Principal>("principal");
      const served = await serveAs(shared, { name, request, reply, principal }).finally(() =>
        request.bodyRoom?.release(),
      );
      if (!served.ok) return sendProblem(reply, withPrefix(served.problem, services.commandPrefix));
      return reply.type("application/json; charset=utf-8").send(writeAnswer(served.answer));
    },
  };
}

/** The problem with the prefix that commands have here. */
function withPrefix({ detail, ...problem }: Problem, prefix: string): Problem {
  return { ...problem, detail: detail.replaceAll(`\`${commandPrefix} `, `\`${prefix} `) };
}

/** Serves a request with the rights that its sender has proved, and a repeated command only once. */
async function serveAs(shared: Shared, admitted: AdmittedRequest): Promise<Served> {
  const { name, request, principal } = admitted;
  if (principal.kind === "fork_run") {
    const { claim } = bodyOf(request, name);
    if (!claim) throw new Error(`${name} does not say what a fork's run has to prove`);
    const note = refusalNote(shared, { name, request, principal });
    const admission = await shared.forks.admit(request, claim, principal, note);
    // Uploads are idempotent, so they need no idempotency key. Storing keys of unknown senders would let them fill the store.
    return admission.ok ? serve(shared, { ...admitted, principal: admission.principal }) : admission;
  }
  const endpoint = endpoints[name];
  if (principal.kind === "person" && principal.repository === null) {
    const { parsed } = bodyOf(request, name);
    const { principal: person, problem } = await admitPerson(shared.services, endpoint, principal, parsed);
    if (problem?.code === "PERMISSION_TOO_LOW")
      await shared.trail.refused(request, name, person, problem.code);
    if (problem) return { ok: false, problem };
    if (person.repository === null) return serve(shared, admitted);
    request.setDecorator("principal", person);
    return serveAs(shared, { ...admitted, principal: person });
  }
  if (endpoint.kind === "question") return serve(shared, admitted);
  const { idempotency: store, now } = shared.services;
  return serveOnce({ store, now, keep: keptOf(endpoint) }, request, name, () => serve(shared, admitted));
}

async function serve(
  { services, trail }: Shared,
  { name, request, reply, principal }: AdmittedRequest,
): Promise<Served> {
  const endpoint = endpoints[name];
  const { parsed: body, subject } = bodyOf(request, name);
  const query = unknownQuery(request.query, []);
  const parsed: ParsedBody<unknown> = query ? { ok: false, problem: query } : body;
  const origin = services.publicUrl ?? `${request.protocol}://${request.host}`;
  const call: Call = { ...services, principal, origin };
  if (endpoint.kind === "command") {
    const served = await trail.execute(request, name, principal, () => endpoint.serve(parsed, call));
    if (served.ok || !isOfStranger(principal, served.problem.code))
      services.commandTimes.observe(organisationOf(principal, subject), name, reply.elapsedTime / 1000);
    return served;
  }
  const served = await endpoint.serve(parsed, call);
  if (!served.ok && served.outOfReach) await trail.refused(request, name, principal, served.problem.code);
  return served;
}

/** Returns a function that records in the audit log why a request was refused. */
function refusalNote(
  { trail }: Shared,
  { name, request, principal }: Omit<AdmittedRequest, "reply">,
): (code: string) => Promise<void> {
  return (code) => trail.refused(request, name, principal, code);
}

function endpointOf(request: FastifyRequest): EndpointName {
  const { endpoint } = request.routeOptions.config;
  if (!endpoint) throw new Error(`${request.url} is no endpoint`);
  return endpoint;
}

function bodyOf({ body }: FastifyRequest, name: EndpointName): ReadRequest {
  return (body as ReadRequest | undefined) ?? readValue(name, undefined);
}

/** Narrows a name to that of an endpoint that accepts forks' runs. */
function forkEndpoint(name: string): ForkEndpoint {
  if (!isForkEndpoint(name)) throw new Error(`${name} does not say what a fork's run has to prove`);
  return name;
}

/** Returns the organisation of a command. For our own bot, it is the owner of the repository in the request. */
function organisationOf({ organisation }: Principal, { repo }: AuditSubject): string {
  return organisation ?? repo?.owner ?? "";
}

/** Returns a function that renders the storable part of an endpoint's answers as text. */
function keptOf({ withoutSecret }: { withoutSecret?: (answer: never) => unknown }) {
  return (answer: unknown) => JSON.stringify(withoutSecret ? withoutSecret(answer as never) : answer);
}

/** Adds advice to the error BODY_TOO_LARGE. Only lists of impacted targets are that large. */
function namingTheWayOut(error: unknown): unknown {
  if (!(error instanceof ProblemError) || error.problem.code !== "BODY_TOO_LARGE") return error;
  return new ProblemError({
    code: "BODY_TOO_LARGE",
    detail: `The body is larger than ${maxBodyBytes / mebibyte} MiB (${maxBodyBytes} bytes). Where that is for a long list of impacted targets, send impactedTargets: "ALL" instead.`,
  });
}
