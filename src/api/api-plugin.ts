import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import fastifyPlugin from "fastify-plugin";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import type { AuditTrail } from "../service/access/audit-trail.ts";
import type { Principal } from "../service/access/token-service.ts";
import type { CommandTimes } from "../service/metrics/command-times.ts";
import type { OrganisationMetrics } from "../service/metrics/organisation-metrics.ts";
import type { QueueMetrics } from "../service/metrics/queue-metrics.ts";
import type { QueueService } from "../service/queue/queue-service.ts";
import type { Quarantines } from "../service/tests/quarantines.ts";
import type { RepositoryTestSettings } from "../service/tests/repository-test-settings.ts";
import type { TestReader } from "../service/tests/test-reader.ts";
import type { TestRepositories } from "../service/tests/test-repositories.ts";
import type { Bundles } from "../service/tests/uploads/bundles.ts";
import type { Webhooks } from "../service/webhooks/webhooks.ts";
import { isOfStranger, RequestAudit } from "./access/audit.ts";
import type { Authorities, Requirement } from "./access/authenticate.ts";
import { type ForkUploadParts, forkUploads } from "./access/fork-uploads.ts";
import { guard } from "./access/guard.ts";
import { decorateDigest, noteBody, serveOnce } from "./access/idempotency.ts";
import { counted, countRequests } from "./access/rate-limit.ts";
import type { Said } from "./access/said.ts";
import { requestOnServedHost } from "./access/served-host.ts";
import { botBudget, forkLanes, tokenLanes } from "./bodies/body-lanes.ts";
import { bundleRoute } from "./bodies/bundle-route.ts";
import { decodeBody } from "./bodies/decode-body.ts";
import { acceptJson, toldLength } from "./bodies/json-body.ts";
import type { ParsingThread } from "./bodies/parsing-thread.ts";
import type { BodyOptions } from "./bodies/read-body.ts";
import { type ReadRequest, readValue } from "./bodies/read-request.ts";
import { RequestReader } from "./bodies/request-reader.ts";
import { compressAnswer } from "./compress-answer.ts";
import type { Call, Served } from "./endpoint.ts";
import { type EndpointName, endpoints, pathOf } from "./endpoints.ts";
import { type HealthParts, healthRoutes } from "./health-routes.ts";
import { serveMetrics } from "./metrics/metrics-route.ts";
import { openApiRoute } from "./openapi/openapi-route.ts";
import { handleError } from "./problems/handle-error.ts";
import { ProblemError } from "./problems/problem.ts";
import { sendProblem } from "./problems/send-problem.ts";
import { type ForkEndpoint, isForkEndpoint } from "./schema/fork-claim.ts";
import { writeAnswer } from "./write-answer.ts";

export interface ApiParts extends HealthParts, Authorities {
  readonly queues: QueueService;
  readonly audit: Pick<AuditTrail, "record" | "list">;
  readonly forkUploads: Omit<ForkUploadParts, "servedHost">;
  readonly idempotency: IdempotencyStore;
  readonly metrics: QueueMetrics;
  readonly organisationMetrics: OrganisationMetrics;
  readonly commandTimes: CommandTimes;
  readonly tests: Call["tests"];
  readonly bundles: Bundles;
  readonly quarantines: Quarantines;
  /** The code host of all served repositories. */
  readonly servedHost: string;
  readonly testRepositories: Pick<TestRepositories, "check">;
  readonly testSettings: RepositoryTestSettings;
  /** The thread that parses large bodies. */
  readonly parsing: ParsingThread;
  /** The service's public address; null = the address that each request was sent to. */
  readonly publicUrl: string | null;
  readonly webhooks: Webhooks;
  readonly doctor: Call["doctor"];
  readonly knownTests: TestReader;
  /** Maximum number of requests per second of one organisation; null = unlimited. */
  readonly requestsPerSecond: number | null;
}

/** The HTTP API below `/v1`, and the probes `/healthz` and `/readyz`, and `/openapi.json`. */
export function apiPlugin(parts: ApiParts): FastifyPluginAsync {
  const plugin: FastifyPluginAsync = async (app) => {
    app.addHook("onSend", compressAnswer);
    await app.register(healthRoutes, parts);
    await app.register(openApiRoute);
    await app.register(fastifyPlugin(serveEndpoints, { name: "v1", encapsulate: true }), {
      ...parts,
      prefix: "/v1",
    });
  };
  return fastifyPlugin(plugin, { name: "api", encapsulate: true });
}

declare module "fastify" {
  interface FastifyContextConfig {
    endpoint?: EndpointName;
  }
}

const mebibyte = 1024 * 1024;
const maxBodyBytes = 20 * mebibyte;
/** Maximum number of bytes that are read from a fork's run before it is verified. */
const unprovenBytes = mebibyte;

async function serveEndpoints(app: FastifyInstance, parts: ApiParts): Promise<void> {
  const {
    queues,
    tests,
    bundles,
    knownTests,
    quarantines,
    testRepositories,
    testSettings,
    webhooks,
    doctor,
    audit,
    idempotency,
    metrics,
    organisationMetrics,
    commandTimes,
  } = parts;
  const { requestsPerSecond, servedHost, now } = parts;
  await countRequests(app, requestsPerSecond);
  app.setErrorHandler((error, request, reply) => handleError(namingTheWayOut(error), request, reply));
  app.decorateRequest("principal");
  decorateDigest(app);
  const trail = new RequestAudit(audit);
  const forks = forkUploads(app, { ...parts.forkUploads, servedHost });
  const reader = new RequestReader(parts.parsing);
  const [ofTokens, ofForks, ofOurBot] = [tokenLanes(), forkLanes(), botBudget()];
  acceptJson(app, {
    limit: maxBodyBytes,
    optionsOf: (request) => ({ ...roomOf(request), see: noteBody(request) }),
    read: async (request, body) =>
      requestOnServedHost(await reader.read(endpointOf(request), body), servedHost),
  });
  function roomOf(request: FastifyRequest): Pick<BodyOptions, "budget" | "gate"> {
    const principal = request.getDecorator<Principal>("principal");
    if (principal.kind === "bot") return { budget: ofOurBot };
    if (principal.kind !== "fork_run") return ofTokens.of(toldLength(request));
    const name = endpointOf(request);
    const pass = (beginning: Buffer) =>
      forks.prove(request, forkEndpoint(name), principal, beginning, noting(request, name, principal));
    return { budget: ofForks.small, gate: { at: unprovenBytes, budget: ofForks.large, pass } };
  }
  const noting = (request: FastifyRequest, name: string, principal: Principal) => (code: string) =>
    trail.refused(request, name, principal, code);
  const admit = (action: string, required: Requirement) => guard(parts, trail, action, required);
  await app.register(bundleRoute(bundles));
  serveMetrics(app, admit, {
    metrics,
    organisations: organisationMetrics,
    repositories: testRepositories,
    servedHost,
  });
  for (const [key, endpoint] of Object.entries(endpoints)) {
    const name = key as EndpointName;
    const once = { store: idempotency, now, keep: keptOf(endpoint) };
    const serve = async (
      request: FastifyRequest,
      reply: FastifyReply,
      principal: Principal,
    ): Promise<Served> => {
      const { parsed, said } = bodyOf(request, name);
      const origin = parts.publicUrl ?? `${request.protocol}://${request.host}`;
      const call: Call = {
        queues,
        tests,
        bundles,
        quarantines,
        testRepositories,
        testSettings,
        knownTests,
        webhooks,
        doctor,
        audit,
        principal,
        origin,
      };
      if (endpoint.kind === "command") {
        const served = await trail.execute(request, name, principal, () => endpoint.serve(parsed, call));
        if (served.ok || !isOfStranger(principal, served.problem.code))
          commandTimes.observe(organisationOf(principal, said), name, reply.elapsedTime / 1000);
        return served;
      }
      const served = await endpoint.serve(parsed, call);
      if (!served.ok && served.outOfReach) await trail.refused(request, name, principal, served.problem.code);
      return served;
    };
    app.post(pathOf(name).slice("/v1".length), {
      config: { ...counted.config, endpoint: name },
      bodyLimit: maxBodyBytes,
      onRequest: [
        admit(name, endpoint),
        async (request) => {
          const { kind } = request.getDecorator<Principal>("principal");
          if (kind === "fork_run") await forks.countAddress(request);
        },
      ],
      preParsing: async (request, _reply, payload) => decodeBody(request, payload, maxBodyBytes),
      handler: async (request, reply) => {
        const principal = request.getDecorator<Principal>("principal");
        const served = await serveAs(principal).finally(() => request.bodyRoom?.release());
        if (!served.ok) return sendProblem(reply, served.problem);
        return reply.type("application/json; charset=utf-8").send(writeAnswer(served.answer));

        async function serveAs(principal: Principal): Promise<Served> {
          if (principal.kind === "fork_run") {
            const note = noting(request, name, principal);
            const { claim } = bodyOf(request, name);
            if (!claim) throw new Error(`${name} does not say what a fork's run has to prove`);
            const admission = await forks.admit(request, claim, principal, note);
            // Uploads are idempotent, so they need no idempotency key. Storing keys of unknown senders would let them fill the
            // store.
            return admission.ok ? serve(request, reply, admission.principal) : admission;
          }
          if (endpoint.kind === "question") return serve(request, reply, principal);
          return serveOnce(once, request, name, () => serve(request, reply, principal));
        }
      },
    });
  }
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
function organisationOf({ organisation }: Principal, { repo }: Said): string {
  return organisation ?? repo?.owner ?? "";
}

/** Returns a function that renders the storable part of an endpoint's answers as text. */
function keptOf({ withoutSecret }: { withoutSecret?: (answer: never) => unknown }) {
  return (answer: unknown) => JSON.stringify(withoutSecret ? withoutSecret(answer as never) : answer);
}

/** Adds a way out to the error BODY_TOO_LARGE. Only lists of impacted targets grow that large. */
function namingTheWayOut(error: unknown): unknown {
  if (!(error instanceof ProblemError) || error.problem.code !== "BODY_TOO_LARGE") return error;
  return new ProblemError({
    code: "BODY_TOO_LARGE",
    detail: `The body is larger than ${maxBodyBytes / mebibyte} MiB (${maxBodyBytes} bytes). Where that is for a long list of impacted targets, send impactedTargets: "ALL" instead.`,
  });
}
