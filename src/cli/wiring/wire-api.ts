import type { FastifyPluginAsync } from "fastify";
import { apiPlugin } from "../../api/api-plugin.ts";
import type { ParsingThread } from "../../api/bodies/parsing-thread.ts";
import { workflowTokenVerifier } from "../../github/access/workflow-tokens.ts";
import type { AppCheck } from "../../service/access/app-check.ts";
import { TokensAndOurBot } from "../../service/access/tokens.ts";
import type { Service } from "../../service/create-service.ts";
import type { Foundation } from "./foundation.ts";

/** Longer than GitHub takes to answer. */
const refuseAfterMs = 1_500;

export interface ApiContext {
  readonly service: Service;
  readonly parsing: ParsingThread;
  readonly appCheck: Pick<AppCheck, "ask">;
  /** The token with which our own bot calls the API. */
  readonly botToken: string;
}

/** The API under `/v1`, the probes and the metrics. */
export function wireApi(
  { settings, store, clock }: Pick<Foundation, "settings" | "store" | "clock">,
  { service, parsing, appCheck, botToken }: ApiContext,
): FastifyPluginAsync {
  const { github, publicUrl, workflowTokens } = settings;
  return apiPlugin({
    queues: service.queues,
    tokens: new TokensAndOurBot(service.tokens, botToken),
    verifyWorkflowToken: workflowTokens && workflowTokenVerifier({ ...workflowTokens, clock }),
    forkUploads: { runs: service.forkRuns, refuseAfterMs },
    audit: service.audit,
    idempotency: store.idempotency,
    metrics: service.metrics,
    organisationMetrics: service.organisationMetrics,
    commandTimes: service.commandTimes,
    tests: service.tests,
    bundles: service.bundles,
    quarantines: service.quarantines,
    servedHost: github.host,
    testRepositories: service.testRepositories,
    testSettings: service.testSettings,
    parsing,
    publicUrl,
    webhooks: service.webhooks,
    knownTests: service.knownTests,
    doctor: service.doctor,
    requestsPerSecond: settings.requestsPerSecond,
    countRequest: (key) => service.requestCounts.add(key),
    ready: () => store.ready(),
    appFault: () => appCheck.ask(),
    now: clock.now,
  });
}
