import type { components, operations } from "@octokit/openapi-types";
import type { Authenticator } from "../auth/authenticator.ts";
import type { Caller } from "../auth/authorize.ts";
import type { OperationId } from "../schema/operations.ts";
import type { Hook } from "../webhooks/hook.ts";
import type { App } from "../world/account.ts";
import type { Repository } from "../world/repository.ts";
import type { World } from "../world/world.ts";
import type { RateLimit } from "./rate-limit.ts";
import type { Urls } from "./urls.ts";

type Parameters<Id extends OperationId> = operations[Id] extends { parameters: infer All } ? All : never;
type Json<Body> = Body extends { content: { "application/json": infer Content } } ? Content : undefined;
type Responses<Id extends OperationId> = operations[Id] extends { responses: infer All } ? All : never;

type PathOf<Id extends OperationId> = Parameters<Id> extends { path: infer Path } ? Path : object;
type QueryOf<Id extends OperationId> =
  Parameters<Id> extends { query?: infer Query } ? NonNullable<Query> : object;
export type BodyOf<Id extends OperationId> = operations[Id] extends { requestBody?: infer Body }
  ? NonNullable<Json<NonNullable<Body>>>
  : object;

/** A request that has passed authentication, authorization, and validation. */
export interface Call<Id extends OperationId> {
  world: World;
  urls: Urls;
  caller: Caller;
  hook: Hook;
  authenticator: Authenticator;
  path: PathOf<Id>;
  query: QueryOf<Id>;
  /** `{}` if the caller sent no body. */
  body: BodyOf<Id>;
  rate: RateLimit;
  accept: string;
  /** The request's own URL, as the caller should see it in links. */
  url: URL;
  /** The repository that the path names; the caller can see it. Throws for operations without a repository. */
  readonly repository: Repository;
  /** The App of the JWT. Throws for operations that do not use a JWT. */
  readonly app: App;
}

/** A documented response of an operation: its status, and the body from GitHub's description. */
export type Answer<Id extends OperationId> = {
  [Status in keyof Responses<Id>]: {
    status: Status;
    body: Json<Responses<Id>[Status]>;
    headers?: Record<string, string>;
  };
}[keyof Responses<Id>];

/** A response with another media type than JSON. No schema describes it. */
export interface RawAnswer {
  status: 200;
  raw: Buffer;
  mediaType: string;
}

type AnyAnswer<Id extends OperationId> = Answer<Id> | RawAnswer;
type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<AnyAnswer<Id>> | AnyAnswer<Id>;
/** What carries out operations, by their ids. */
export type Handlers = { [Id in OperationId]?: Handler<Id> };

/** The type of a named schema in GitHub's API description. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];
