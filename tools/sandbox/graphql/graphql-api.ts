import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  buildSchema,
  type DocumentNode,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
} from "graphql";
import type { Authenticator } from "../auth/authenticator.ts";
import { type Caller, nameOf } from "../auth/authorize.ts";
import type { Faults } from "../faults/faults.ts";
import { InjectedFailure, jsonReply, type Reply, type Strike, sendReply } from "../faults/strike.ts";
import { readBody } from "../http-server.ts";
import type { CallLimits } from "../limits/call-limits.ts";
import type { RequestLog, Violation } from "../request-log.ts";
import { Refusal } from "../rest/refusal.ts";
import type { Urls } from "../rest/urls.ts";
import type { Past } from "../world/past.ts";
import type { World } from "../world/world.ts";
import { createCheckRun, updateCheckRun } from "./check-run.ts";
import { addComment, addReaction, minimizeComment, updateIssueComment } from "./comments.ts";
import { GraphqlRefusal } from "./find-node.ts";
import { changeAutoMerge, setThreadResolved } from "./pull-request.ts";
import { findRepository, updateRefs } from "./repository.ts";

/** Whether the path is the GraphQL endpoint of GitHub Enterprise Server or of github.com. */
export const isGraphqlPath = (pathname: string): boolean =>
  pathname === "/api/graphql" || pathname === "/graphql";

interface Surroundings {
  world: World;
  urls: Urls;
  authenticator: Authenticator;
  faults: Faults;
  limits: CallLimits;
  past: Past;
  log: RequestLog;
  report: (violation: Violation) => void;
  /** The simulated version of GitHub Enterprise Server; null = github.com. */
  enterprise: string | null;
}

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const enterpriseSchema = buildSchema(read("./generated/schema.subset.graphql"));
const cloudSchema = buildSchema(`${read("./generated/schema.subset.graphql")}\n${read("./stacks.graphql")}`);

/** Clients repeat a few queries, and parsing and validating one takes longer than answering it. */
const parsed = new Map<string, DocumentNode>();
const mistakesIn = new WeakMap<GraphQLSchema, WeakMap<DocumentNode, readonly GraphQLError[]>>();
const mostParsed = 500;

/** The few operations of GitHub's GraphQL API that a queue needs. Any other query is refused and reported. */
export class GraphqlApi {
  readonly #around: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#around = surroundings;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const progress: Progress = {
      ...{ operationId: "graphql", caller: { kind: "anonymous" }, strike: null },
      end: () => {},
    };
    try {
      await this.#serve(request, response, progress);
    } finally {
      progress.end();
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse, progress: Progress): Promise<void> {
    const { world, log } = this.#around;
    const payload = await readBody(request);
    const reply = await this.#reply(payload, request.headers.authorization, progress);
    const { operationId, caller, strike } = progress;
    // A response without a requested field is always wrong, so no damaged body can be a valid one.
    const sent = (await strike?.after(reply, () => false)) ?? reply;
    sendReply(response, sent);
    this.#around.limits.note(caller, sent, Date.now());
    log.record({
      operationId,
      method: request.method ?? "POST",
      path: "/graphql",
      status: sent.status,
      actor: caller.kind,
      name: nameOf(caller),
      pull: null,
      version: request.headers["x-github-api-version"]?.toString() ?? null,
      at: world.now(),
      ...(strike?.hasHit ? { fault: strike.label } : {}),
    });
  }

  async #reply(payload: Buffer, authorization: string | undefined, progress: Progress): Promise<Reply> {
    try {
      const caller = await this.#around.authenticator.identify(authorization);
      progress.caller = caller;
      if (caller.kind === "anonymous")
        throw new Refusal(401, "This endpoint requires you to be authenticated.");
      if (caller.kind === "app") throw new Refusal(401, "Bad credentials");
      const query = parsePayload(payload);
      const document = parseQuery(query.query);
      const refusal = this.#around.limits.refuse(caller, operationsOf(document), Date.now());
      if (refusal) return refusal;
      progress.end = this.#around.limits.begin(caller);
      return jsonReply(200, await this.#answer(document, query.variables, caller, progress));
    } catch (error) {
      if (error instanceof InjectedFailure) return error.reply;
      if (!(error instanceof Refusal)) throw error;
      const { status, message } = error;
      return jsonReply(status, {
        message,
        documentation_url: "https://docs.github.com/graphql",
        status: String(status),
      });
    }
  }

  async #answer(
    document: DocumentNode,
    variables: Query["variables"],
    caller: Caller,
    progress: Progress,
  ): Promise<unknown> {
    const { world, urls, faults, report } = this.#around;
    const operations = [...new Set(operationsOf(document))];
    progress.operationId = `graphql/${operations.map((one) => one.slice("graphql/".length)).join("+")}`;
    for (const operation of operations) progress.strike ??= faults.strike(operation, caller.kind);
    await progress.strike?.before();
    const schema = this.#around.enterprise === null ? cloudSchema : enterpriseSchema;
    const mistakes = validateOnce(schema, document);
    if (mistakes.length > 0) {
      const detail = mistakes.map(({ message }) => message).join(" ");
      // Not reported, because a client cannot know in advance what only an Enterprise Server lacks.
      if (validate(cloudSchema, document).length > 0)
        report({ kind: "unimplemented", subject: "graphql", detail });
      return { errors: mistakes.map(renderError) };
    }
    const mutation =
      <Input>(run: (world: World, caller: Caller, input: Input) => unknown) =>
      async ({ input }: { input: Input & { clientMutationId?: string } }) => ({
        clientMutationId: input.clientMutationId ?? null,
        ...((await run(world, caller, input)) as object | undefined),
      });
    const rootValue = {
      repository: (args: { owner: string; name: string }) =>
        findRepository(world, urls, caller, args, (repository) => repository),
      updateRefs: mutation(updateRefs),
      resolveReviewThread: mutation(setThreadResolved(true)),
      unresolveReviewThread: mutation(setThreadResolved(false)),
      enablePullRequestAutoMerge: mutation(changeAutoMerge(true)),
      disablePullRequestAutoMerge: mutation(changeAutoMerge(false)),
      addReaction: mutation(addReaction),
      addComment: mutation(addComment),
      updateIssueComment: mutation(updateIssueComment),
      minimizeComment: mutation(minimizeComment),
      createCheckRun: mutation(createCheckRun),
      updateCheckRun: mutation(updateCheckRun),
    };
    const { data, errors } = await execute({ schema, document, rootValue, variableValues: variables });
    const mistake = errors?.find(
      ({ originalError }) => originalError && !(originalError instanceof GraphqlRefusal),
    );
    if (mistake) throw mistake;
    const present = { data, ...(errors ? { errors: errors.map(renderError) } : {}) };
    const age = progress.strike?.ageMs("stale") ?? null;
    if (age === null) return present;
    const at = Date.now() - age;
    const repository = (args: { owner: string; name: string }) =>
      findRepository(world, urls, caller, args, (found) => this.#around.past.repositoryAt(found, at));
    const then = await execute({ schema, document, rootValue: { repository }, variableValues: variables });
    const past = {
      data: then.data,
      ...(then.errors ? { errors: then.errors.map(renderError) } : {}),
    };
    if (JSON.stringify(past) === JSON.stringify(present)) return present;
    progress.strike?.showedThePast();
    return past;
  }
}

/** The parts of a request that were understood before its response. */
interface Progress {
  operationId: string;
  caller: Caller;
  strike: Strike | null;
  /** Ends the count of the call as in flight. */
  end: () => void;
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

function validateOnce(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const known = mistakesIn.get(schema) ?? new WeakMap<DocumentNode, readonly GraphQLError[]>();
  mistakesIn.set(schema, known);
  const mistakes = known.get(document) ?? validate(schema, document);
  known.set(document, mistakes);
  return mistakes;
}

function parseQuery(query: string): DocumentNode {
  const known = parsed.get(query);
  if (known !== undefined) return known;
  try {
    const document = parse(query);
    if (parsed.size >= mostParsed) parsed.clear();
    parsed.set(query, document);
    return document;
  } catch (error) {
    throw new Refusal(400, error instanceof Error ? error.message : String(error));
  }
}

/** Returns `graphql/` and the field name for each field of a request, in order. */
function operationsOf(document: DocumentNode): string[] {
  const [definition] = document.definitions;
  const selections = definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [];
  return selections.map((one) => `graphql/${one.kind === Kind.FIELD ? one.name.value : "unknown"}`);
}

function renderError({ message, path, locations, originalError }: GraphQLError) {
  const type = originalError instanceof GraphqlRefusal ? { type: originalError.type } : {};
  return { ...type, ...(path ? { path } : {}), ...(locations ? { locations } : {}), message };
}
