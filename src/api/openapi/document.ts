import { readFileSync } from "node:fs";
import { forkedRunHeader, type Requirement } from "../access/authenticate.ts";
import { type EndpointName, endpoints, pathOf } from "../endpoints.ts";
import { metricsType } from "../metrics/metrics-route.ts";
import { type ProblemCode, problemKinds, renderProblem } from "../problems/problem.ts";
import { examples } from "./examples.ts";
import { answerRef, componentSchemas, requestSchema } from "./schemas.ts";

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const tags = [
  { name: "Pull requests", description: "Submit, cancel and follow pull requests." },
  { name: "Queues", description: "Create, read, configure and delete queues." },
  { name: "Tests", description: "Upload test results, and find flaky tests." },
  { name: "Webhooks", description: "Receive events instead of polling." },
  { name: "Organisation", description: "See who did what." },
];

/** The description of the HTTP API in OpenAPI 3.1, generated from the schemas that validate requests. */
export function openApiDocument(): object {
  return {
    openapi: "3.1.0",
    info: {
      title: "Trainyard",
      version,
      summary: "A merge queue for GitHub.",
      description:
        "Every path takes `POST` with JSON. A body has at most 20 MiB, may be compressed with gzip or zstd, and may be nested 64 levels deep. Unknown fields and query parameters are refused. The answer is 200, or `application/problem+json` with a `code` for programs and a `detail` that says what to do. Enumerated values are accepted in upper and lower case, and answered in lower case.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    tags,
    security: ofToken,
    paths: {
      ...Object.fromEntries(
        (Object.keys(endpoints) as EndpointName[]).map((name) => [pathOf(name), { post: operation(name) }]),
      ),
      "/v1/getMergeQueueMetrics": { get: metricsOperation },
    },
    components: {
      schemas: componentSchemas(),
      responses: problemResponses(),
      securitySchemes: {
        apiToken: {
          type: "apiKey",
          in: "header",
          name: "x-api-token",
          description: "A token of your organisation, issued by `trainyard token create`.",
        },
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "The same token, for programs that cannot send a header of their own.",
        },
        workflowToken: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description:
            "An OpenID Connect token that GitHub issues to a workflow of the repository (`id-token: write`), with this service as its audience.",
        },
        person: {
          type: "http",
          scheme: "bearer",
          description:
            "What `trainyard login` receives for a person who signs in with GitHub. It permits what GitHub lets them do in the repository.",
        },
        forkRun: {
          type: "apiKey",
          in: "header",
          name: forkedRunHeader,
          description:
            "The id of a workflow run in progress, for the head of an open pull request from a fork.",
        },
      },
    },
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A new key for each command. If the same request comes again with the key within a day, it gets the same answer and is not carried out twice.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const metricsOperation = {
  operationId: "getMergeQueueMetrics",
  summary: "Measures the queues of the token's organisation, for Prometheus.",
  description: "Needs a token with the scope `read`.",
  tags: ["Queues"],
  parameters: [
    {
      name: "repo",
      in: "query",
      description: "As `owner/name`, together with `repoHost`.",
      schema: { type: "string" },
    },
    { name: "repoHost", in: "query", description: "The repository's code host.", schema: { type: "string" } },
  ],
  responses: {
    200: {
      description: "Text in Prometheus' exposition format.",
      content: { [metricsType]: { schema: { type: "string" } } },
    },
    ...refusals([400, 401, 403, 404, 429, 500, 503]),
  },
};

function refusals(statuses: readonly number[]): Record<string, object> {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${status}` }]));
}

function tagOf(name: EndpointName): string {
  if (name === "listAuditLog") return "Organisation";
  if (/Test(Results|Details|Case|s$)|Quarantin|Bundle/.test(name)) return "Tests";
  if (/Webhook/.test(name)) return "Webhooks";
  return /Queues?$/.test(name) ? "Queues" : "Pull requests";
}

type Described = Requirement & {
  readonly summary: string;
  readonly kind: "command" | "question";
  readonly finds: boolean;
};

/**
 * The problem statuses of an endpoint. Only commands can conflict with the current state (409), if only by their idempotency
 * key.
 */
function problemsOf({ kind, finds }: Described): number[] {
  return problemStatuses.filter(
    (status) => (status !== 404 || finds) && (status !== 409 || kind === "command"),
  );
}

/** An API token, in either header. */
const ofToken = [{ apiToken: [] }, { bearer: [] }];
const schemeOf = { workflow: "workflowToken", fork_run: "forkRun", person: "person" } as const;

function securityOf(accepts: NonNullable<Requirement["accepts"]>): object[] {
  return [...ofToken, ...accepts.map((kind) => ({ [schemeOf[kind]]: [] }))];
}

function operation(name: EndpointName): object {
  const described: Described = endpoints[name];
  const { summary, scope, kind, accepts = [] } = described;
  const { body, answer } = examples[name];
  return {
    operationId: name,
    summary,
    description: `Needs a token with the scope \`${scope}\`.`,
    tags: [tagOf(name)],
    ...(accepts.length === 0 ? {} : { security: securityOf(accepts) }),
    ...(kind === "question" ? {} : { parameters: [idempotencyKey] }),
    requestBody: {
      required: true,
      content: { "application/json": { schema: requestSchema(name), example: body } },
    },
    responses: {
      200: {
        description: "Done.",
        content: { "application/json": { schema: answerRef(name), example: answer } },
      },
      ...refusals(problemsOf(described)),
    },
  };
}

const descriptions: Readonly<Record<number, string>> = {
  400: "The body is wrong, or the queue is not in a state for this.",
  401: "No valid token, or nothing that stands for one.",
  403: "The token lacks the scope, or is not the kind of token that this needs.",
  404: "There is no such queue or pull request, as far as the token may know.",
  409: "It contradicts how things are.",
  413: "The body is larger than 20 MiB.",
  415: "The body is not JSON, or compressed in another way than gzip or zstd.",
  429: "Too many requests; `retry-after` says how many seconds to wait.",
  500: "A failure of the service.",
  503: "The service has no room for the body, nothing can be stored, or the service, GitHub or the issuer of workflow tokens does not answer at the moment. Nothing was changed.",
};

export const problemStatuses: readonly number[] = Object.keys(descriptions).map(Number);

/** The problems that endpoints may return, by status. */
export function problemResponses(): Record<string, object> {
  return Object.fromEntries(problemStatuses.map((status) => [status, response(status)]));
}

function response(status: number): object {
  const codes = Object.entries(problemKinds).filter(([, kind]) => kind.status === status);
  const examples = codes.map(([code, { title }]) => [
    code,
    {
      value: renderProblem(
        { code: code as ProblemCode, detail: `${title}. What to do stands here.` },
        "7d1e…",
      ),
    },
  ]);
  const content = {
    "application/problem+json": {
      schema: { $ref: "#/components/schemas/Problem" },
      examples: Object.fromEntries(examples),
    },
  };
  const retryAfter = { description: "Seconds to wait before trying again.", schema: { type: "integer" } };
  const waits = status === 429 || status === 503;
  return {
    description: descriptions[status],
    ...(waits ? { headers: { "retry-after": retryAfter } } : {}),
    content,
  };
}
