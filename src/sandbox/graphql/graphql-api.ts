import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buildSchema, execute, type GraphQLError, Kind, parse, validate } from "graphql";
import type { Authenticator } from "../auth/authenticator.ts";
import { type Caller, nameOf } from "../auth/caller.ts";
import { readBody } from "../http-body.ts";
import type { RequestLog } from "../request-log.ts";
import { Refusal } from "../rest/refusal.ts";
import type { Urls } from "../rest/urls.ts";
import type { Violation } from "../violation.ts";
import type { World } from "../world/world.ts";
import { type AddReactionInput, addReaction } from "./add-reaction.ts";
import { GraphqlRefusal } from "./graphql-refusal.ts";
import { findRepository, repositoryByNodeId } from "./repository.ts";
import { type UpdateRefsInput, updateRefs } from "./update-refs.ts";

/** Where GitHub Enterprise Server and github.com have GraphQL. */
export const isGraphqlPath = (pathname: string): boolean =>
  pathname === "/api/graphql" || pathname === "/graphql";

interface Surroundings {
  world: World;
  urls: Urls;
  authenticator: Authenticator;
  log: RequestLog;
  report: (violation: Violation) => void;
}

const schema = buildSchema(readFileSync(new URL("./schema.subset.graphql", import.meta.url), "utf8"));

/** The few operations of GitHub's GraphQL API that a queue needs. A query for anything else is refused and reported. */
export class GraphqlApi {
  readonly #around: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#around = surroundings;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { world, authenticator, log } = this.#around;
    const payload = await readBody(request);
    let caller: Caller = { kind: "anonymous" };
    let status = 200;
    let operationId = "graphql";
    let body: unknown;
    try {
      caller = await authenticator.identify(request.headers.authorization);
      if (caller.kind === "anonymous")
        throw new Refusal(401, "This endpoint requires you to be authenticated.");
      if (caller.kind === "app") throw new Refusal(401, "Bad credentials");
      const asked = parsePayload(payload);
      const answer = await this.#answer(asked, caller);
      operationId = answer.operationId;
      body = answer.body;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      status = error.status;
      body = {
        message: error.message,
        documentation_url: "https://docs.github.com/graphql",
        status: String(status),
      };
    }
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify(body));
    log.record({
      operationId,
      method: request.method ?? "POST",
      path: "/graphql",
      status,
      actor: caller.kind,
      name: nameOf(caller),
      pull: null,
      at: world.now(),
    });
  }

  async #answer(
    { query, variables }: Query,
    caller: Caller,
  ): Promise<{ operationId: string; body: unknown }> {
    const { world, urls, report } = this.#around;
    const document = parseQuery(query);
    const [definition] = document.definitions;
    const selection =
      definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections[0] : undefined;
    const operationId = `graphql/${selection?.kind === Kind.FIELD ? selection.name.value : "unknown"}`;
    const faults = validate(schema, document);
    if (faults.length > 0) {
      const detail = faults.map(({ message }) => message).join(" ");
      report({ kind: "unimplemented", subject: "graphql", detail });
      return { operationId, body: { errors: faults.map(renderError) } };
    }
    const rootValue = {
      repository: (args: { owner: string; name: string }) => findRepository(world, urls, caller, args),
      updateRefs: ({ input }: { input: UpdateRefsInput }) =>
        updateRefs(world, caller, repositoryByNodeId(world, caller, input.repositoryId), input),
      addReaction: ({ input }: { input: AddReactionInput }) => addReaction(world, caller, input),
    };
    const { data, errors } = await execute({ schema, document, rootValue, variableValues: variables });
    const fault = errors?.find(
      ({ originalError }) => originalError && !(originalError instanceof GraphqlRefusal),
    );
    if (fault) throw fault;
    return { operationId, body: { data, ...(errors ? { errors: errors.map(renderError) } : {}) } };
  }
}

interface Query {
  query: string;
  variables: Record<string, unknown>;
}

function parsePayload(payload: Buffer): Query {
  let body: unknown;
  try {
    body = JSON.parse(payload.toString("utf8"));
  } catch {
    throw new Refusal(400, "Problems parsing JSON");
  }
  const { query, variables } = (body ?? {}) as { query?: unknown; variables?: unknown };
  if (typeof query !== "string")
    throw new Refusal(400, "A query attribute must be specified and must be a string.");
  return { query, variables: typeof variables === "object" && variables !== null ? { ...variables } : {} };
}

function parseQuery(query: string) {
  try {
    return parse(query);
  } catch (error) {
    throw new Refusal(400, error instanceof Error ? error.message : String(error));
  }
}

function renderError({ message, path, locations, originalError }: GraphQLError) {
  const type = originalError instanceof GraphqlRefusal ? { type: originalError.type } : {};
  return { ...type, ...(path ? { path } : {}), ...(locations ? { locations } : {}), message };
}
