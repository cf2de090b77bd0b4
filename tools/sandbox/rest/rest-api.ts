import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticator } from "../auth/authenticator.ts";
import { authorize, type Caller, nameOf } from "../auth/authorize.ts";
import type { Faults } from "../faults/faults.ts";
import { InjectedFailure, type Reply, type Strike, sendReply } from "../faults/strike.ts";
import { HungUp, readBody } from "../http-server.ts";
import { type CallLimits, Limited } from "../limits/call-limits.ts";
import type { RequestLog, Violation } from "../request-log.ts";
import { checkRequest, checkResponse } from "../schema/api-description.ts";
import { isImplemented } from "../schema/operations.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { Past } from "../world/past.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import {
  type Answer,
  type ApiVersion,
  answerFromPast,
  etagOf,
  inVersion,
  selectVersion,
  strikeMerge,
  versionHeaders,
} from "./answer-from-past.ts";
import { allOperations } from "./operations/all-operations.ts";
import { RateLimiter, rateLimitHeaders } from "./rate-limit.ts";
import { answerError, moved, notFound, Refusal, readOnly } from "./refusal.ts";
import { findRoute, inferPull, newAddress, pathById } from "./route.ts";

import type { Urls } from "./urls.ts";

interface Surroundings {
  world: World;
  urls: Urls;
  authenticator: Authenticator;
  hook: Hook;
  faults: Faults;
  limits: CallLimits;
  past: Past;
  log: RequestLog;
  report: (violation: Violation) => void;
  /** The version of GitHub Enterprise Server; null = github.com. */
  enterprise: string | null;
  /** The rate limit that responses show. */
  callsPerHour: number;
}

/** The parts of a request that were understood before its response. */
interface Progress {
  operationId: string | null;
  caller: Caller;
  pull: number | null;
  strike: Strike | null;
  version: ApiVersion | null;
  /** Ends the count of the call as in flight. */
  end: () => void;
}

/** Media types that GitHub supports and the sandbox does not. */
const UNSUPPORTED_MEDIA = /application\/vnd\.github(\.v3)?\.(diff|patch|html|text|full|sha|object|raw)\b/;

/**
 * GitHub's REST API over HTTP: routing, authentication, authorization, validation of requests and responses, conditional
 * requests, log.
 */
export class RestApi {
  readonly #around: Surroundings;
  readonly #limiter: RateLimiter;

  constructor(surroundings: Surroundings) {
    this.#around = surroundings;
    this.#limiter = new RateLimiter(surroundings.callsPerHour);
  }

  /** @param pathname without `/api/v3` */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    pathname: string,
    search: string,
  ): Promise<void> {
    const progress: Progress = {
      operationId: null,
      caller: { kind: "anonymous" },
      pull: null,
      strike: null,
      version: null,
      end: () => {},
    };
    try {
      await this.#serve(request, response, { pathname, search }, progress);
    } finally {
      progress.end();
    }
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, search }: { pathname: string; search: string },
    progress: Progress,
  ): Promise<void> {
    const { world, log } = this.#around;
    const reply = await this.#reply(request, { pathname, search }, progress);
    const { operationId, caller, pull, strike } = progress;
    const describes = (body: unknown) =>
      operationId !== null &&
      isImplemented(operationId) &&
      checkResponse(operationId, reply.status, body) === null;
    const sent = (await strike?.after(reply, describes)) ?? reply;
    sendReply(response, sent);
    this.#around.limits.note(caller, sent, Date.now());
    log.record({
      operationId,
      method: request.method ?? "GET",
      path: `${pathname}${search}`,
      status: sent.status,
      actor: caller.kind,
      name: nameOf(caller),
      pull,
      version: request.headers["x-github-api-version"]?.toString() ?? null,
      at: world.now(),
      ...(strike?.hasHit ? { fault: strike.label } : {}),
    });
  }

  async #reply(
    request: IncomingMessage,
    address: { pathname: string; search: string },
    progress: Progress,
  ): Promise<Reply> {
    try {
      return this.#render(request, await this.#answer(request, address, progress), progress);
    } catch (error) {
      if (error instanceof HungUp) throw error;
      if (error instanceof InjectedFailure || error instanceof Limited) {
        const headers = { ...this.#headers(progress, 1), ...error.reply.headers };
        return { ...error.reply, headers };
      }
      return this.#render(request, answerError(error, progress.operationId, this.#around.report), progress);
    }
  }

  async #answer(
    request: IncomingMessage,
    { pathname, search }: { pathname: string; search: string },
    progress: Progress,
  ): Promise<Answer> {
    const { world, urls, authenticator, report } = this.#around;
    const payload = await readBody(request);
    progress.version = selectVersion(request.headers["x-github-api-version"], this.#around.enterprise);
    progress.caller = await authenticator.identify(request.headers.authorization);
    const method = request.method ?? "GET";
    const route = findRoute(method, pathById(world, pathname) ?? pathname);
    if (route === null) throw notFound();
    const { operationId } = route;
    progress.operationId = operationId;
    const accept = request.headers.accept ?? "";
    const isRawContent = operationId === "repos/get-content" && /\braw\b/.test(accept);
    if (!isImplemented(operationId) || (UNSUPPORTED_MEDIA.test(accept) && !isRawContent)) {
      const what = isImplemented(operationId) ? `${operationId} as ${accept}` : operationId;
      report({
        kind: "unimplemented",
        subject: operationId,
        detail: `${request.method} ${pathname} (${accept})`,
      });
      throw new Refusal(501, `The sandbox does not implement ${what}.`);
    }
    const refusal = this.#around.limits.refuse(progress.caller, [operationId], Date.now());
    if (refusal) throw new Limited(refusal);
    progress.end = this.#around.limits.begin(progress.caller);
    progress.strike = this.#around.faults.strike(operationId, progress.caller.kind);
    await progress.strike?.before();
    const elsewhere = newAddress(world, progress.caller, route);
    if (elsewhere !== null) throw moved(method, `${urls.api}${elsewhere(pathname)}${search}`);
    const repository = authorize(world, progress.caller, operationId, route.path);
    if (repository?.archived && method !== "GET") throw readOnly();
    const url = new URL(`${urls.api}${pathname}${search}`);
    const body = parseJson(payload);
    const checked = checkRequest(operationId, { path: route.path, query: url.searchParams, body });
    if (repository !== null) progress.pull = inferPull(repository, { path: checked.path, body });
    if (checked.problems.length > 0) {
      report({ kind: "request", subject: operationId, detail: checked.problems.join("; ") });
      throw new Refusal(422, `Invalid request.\n\n${checked.problems.join("; ")}`);
    }
    const { caller } = progress;
    const rate = this.#limiter.spend(budgetOf(caller), world.now(), 0);
    const call = {
      ...this.#around,
      caller,
      rate,
      accept,
      url,
      path: checked.path,
      query: checked.query,
      body: body ?? {},
      get repository() {
        if (repository === null) throw new Error(`${operationId} has no repository`);
        return repository;
      },
      get app() {
        if (caller.kind !== "app") throw new Error(`${operationId} takes no JWT`);
        return caller.app;
      },
    };
    // The schema checks guarantee the types that the handlers expect.
    const handle = allOperations[operationId] as unknown as (call: unknown) => Promise<Answer> | Answer;
    if (operationId === "pulls/merge" && repository !== null) {
      progress.strike ??= strikeMerge(this.#around.faults, caller, repository, progress.pull);
      await progress.strike?.before();
    }
    const present = await handle(call);
    const shown = {
      past: this.#around.past,
      etag: request.headers["if-none-match"],
      version: progress.version,
      at: (then: Repository) => handle(Object.create(call, { repository: { value: then } })),
      present,
    };
    const answer = (repository && (await answerFromPast(repository, progress.strike, shown))) ?? present;
    const problem =
      answer.raw === undefined ? checkResponse(operationId, answer.status, toJson(answer.body)) : null;
    if (problem === null) {
      return answer.body === undefined
        ? answer
        : { ...answer, body: inVersion(progress.version, answer.body) };
    }
    report({ kind: "response", subject: operationId, detail: `${answer.status}: ${problem}` });
    throw new Refusal(500, `The sandbox's answer is not GitHub's: ${problem}`);
  }

  /** Builds the HTTP response. Sends a free 304 if the caller already has the content. */
  #render(request: IncomingMessage, answer: Answer, progress: Progress): Reply {
    const { strike } = progress;
    const content = answer.raw ?? Buffer.from(answer.body === undefined ? "" : JSON.stringify(answer.body));
    const etag = etagOf(content);
    const isCacheable = request.method === "GET" && answer.status === 200;
    const isKnown = isCacheable && request.headers["if-none-match"] === etag && !strike?.needsBody;
    const status = isKnown ? 304 : answer.status;
    const hasContent = status !== 204 && status !== 304;
    return {
      status,
      headers: {
        ...(hasContent ? { "content-type": answer.mediaType ?? "application/json; charset=utf-8" } : {}),
        ...(hasContent ? { "content-length": content.length } : {}),
        ...(isCacheable ? { etag, "cache-control": "private, max-age=60, s-maxage=60" } : {}),
        ...this.#headers(progress, isKnown ? 0 : 1),
        ...answer.headers,
      },
      content: hasContent ? content : null,
    };
  }

  #headers({ caller, version }: Progress, cost: 0 | 1): Record<string, string> {
    return {
      ...rateLimitHeaders(this.#limiter.spend(budgetOf(caller), this.#around.world.now(), cost)),
      "x-github-media-type": "github.v3; format=json",
      ...versionHeaders(version, this.#around.enterprise),
      "x-github-request-id": randomBytes(8).toString("hex").toUpperCase(),
    };
  }
}

/** The key of the rate limit that a request counts against. */
const budgetOf = (caller: Caller): string => `${caller.kind} ${nameOf(caller)}`;

/** Converts a value to its JSON form, which has no undefined properties. */
const toJson = (body: unknown): unknown =>
  body === undefined ? undefined : JSON.parse(JSON.stringify(body));

function parseJson(payload: Buffer): unknown {
  if (payload.length === 0) return undefined;
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch {
    throw new Refusal(400, "Problems parsing JSON");
  }
}
