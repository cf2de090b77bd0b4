import type { Octokit } from "@octokit/rest";
import * as z from "zod";
import {
  accessTokenShape,
  answerShapes,
  hookConfigShape,
  hookDeliveryShape,
  installationShape,
  rateLimitShape,
} from "./answer-shapes.ts";
import { CodeHostError } from "./code-host-error.ts";

interface Shape {
  readonly method: string;
  readonly path: RegExp;
  readonly shape: z.ZodType;
}

/** Links to further pages identify a repository by its id. */
const anyRepository = "(?:/repos/[^/]+/[^/]+|/repositories/\\d+)";

const graphqlShape = z.union([
  z.object({ errors: z.array(z.object({ message: z.string() })).min(1) }),
  z.object({ data: z.looseObject({}) }),
]);

const appShape = z.object({
  id: z.number(),
  permissions: z.record(z.string(), z.string()),
  events: z.array(z.string()),
});

const membershipShape = z.object({
  state: z.string(),
  role: z.string(),
  organization: z.object({ id: z.number() }),
  user: z.object({ id: z.number() }).nullable(),
});

const shapes: readonly Shape[] = [
  ...Object.entries(answerShapes).map(([operation, shape]) => {
    const [method = "", path = ""] = operation.split(" ");
    const pattern = path.replaceAll("{}", "[^/]+");
    return { method, path: new RegExp(`${anyRepository}${pattern}$`), shape };
  }),
  { method: "POST", path: /\/app\/installations\/\d+\/access_tokens$/, shape: accessTokenShape },
  { method: "GET", path: /\/app$/, shape: appShape },
  { method: "GET", path: /\/app\/hook\/config$/, shape: hookConfigShape },
  { method: "GET", path: /\/app\/hook\/deliveries$/, shape: z.array(hookDeliveryShape) },
  { method: "GET", path: /\/rate_limit$/, shape: rateLimitShape },
  { method: "GET", path: /\/apps\/[^/]+$/, shape: z.object({ id: z.number() }) },
  { method: "GET", path: /\/app\/installations\/\d+$/, shape: installationShape },
  { method: "GET", path: /\/orgs\/[^/]+\/memberships\/[^/]+$/, shape: membershipShape },
  { method: "POST", path: /\/graphql$/, shape: graphqlShape },
];

/**
 * Refuses every response that does not have the shape that we use. Octokit itself reads a truncated body as `""`, and a truncated
 * list as an empty one: required checks would be lost, and pull requests would seem closed.
 */
export function checkAnswers(client: Octokit): void {
  client.hook.wrap("request", async (request, options) => {
    const { url } = client.request.endpoint(options);
    try {
      const response = await request(options);
      // These statuses have no body.
      if (response.status === 204 || response.status === 205) return response;
      checkShape(shapeOf(options.method, new URL(url).pathname), response.data, `${options.method} ${url}`);
      return response;
    } catch (error) {
      throw isConflictOfList(error, options.method) ? misshapen(`GET ${url}`, "it answered 409") : error;
    }
  });
}

/** Throws an error that can be retried. `what` describes the request for people. */
export function checkShape(shape: z.ZodType, data: unknown, what: string): void {
  const { error } = shape.safeParse(data);
  const [issue] = error?.issues ?? [];
  if (issue) throw misshapen(what, `${issue.path.join(".") || "it"}: ${issue.message}`);
}

function misshapen(what: string, why: string): CodeHostError {
  return new CodeHostError("unavailable", `GitHub's answer to ${what} is damaged (${why})`);
}

function shapeOf(method: string, path: string): z.ZodType {
  const found = shapes.find((one) => one.method === method && one.path.test(path));
  if (!found) throw new Error(`answer-shapes.ts lacks the answer to ${method} ${path}`);
  return found.shape;
}

/** Octokit's pagination treats 409 as the end of a list. */
function isConflictOfList(error: unknown, method: string): boolean {
  return method === "GET" && error instanceof Error && "status" in error && error.status === 409;
}
