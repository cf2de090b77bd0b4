import { GraphqlResponseError } from "@octokit/graphql";
import { RequestError } from "@octokit/request-error";
import { toCodeHostError } from "../../../../src/github/client/code-host-error.ts";
import type { CodeHostErrorKind, InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import { type VirtualCalls, VirtualFailure } from "../virtual-calls.ts";
import type { VirtualRepository } from "../virtual-repository.ts";

export interface OctokitCallsParts {
  readonly repository: VirtualRepository;
  readonly calls: VirtualCalls;
}

/** Calls through an installation. GitHub refuses calls about what it does not reach, with Octokit's errors. */
export class OctokitCalls {
  readonly #access: OctokitCallsParts;
  readonly #through: Pick<InstalledRepository, "installationId">;

  constructor(
    { repository, calls }: OctokitCallsParts,
    through: Pick<InstalledRepository, "installationId">,
  ) {
    this.#access = { repository, calls };
    this.#through = through;
  }

  read<T>(name: string, answer: () => T): Promise<T> {
    return asOctokitDoes(() => this.#access.calls.read(name, () => this.#guarded(false, answer)));
  }

  change<T>(name: string, effect: () => T): Promise<T> {
    return asOctokitDoes(() => this.#access.calls.change(name, () => this.#guarded(true, effect)));
  }

  #guarded<T>(isChange: boolean, answer: () => T): T {
    const refusal = this.#access.repository.refusalOf(this.#through, isChange);
    if (refusal) throw refusal;
    return answer();
  }
}

async function asOctokitDoes<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asOctokit(error);
  }
}

/** The failed request. It changes something, unless the failure says that it only reads. */
const request = { method: "POST", url: "https://github.test", headers: {} } as const;

/** Null = there is no response. */
const statuses: Readonly<Record<CodeHostErrorKind, number | null>> = {
  ...{ unavailable: null, denied: 403, not_found: 404, busy: 423, rate_limited: 429, invalid: 422 },
  // Only the adapter finds that something is unknown. No call fails in this way.
  review_unknown: null,
};

/** The error that Octokit throws when GitHub refuses. */
export function refusalBy(status: number, data: object, retryAfterMs: number | null = null): RequestError {
  const headers = retryAfterMs === null ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  const response = { status, url: request.url, headers, data };
  return new RequestError("refused", status, { request, response });
}

/** The error that Octokit throws when GraphQL refuses. */
export function graphqlRefusal(type: string, message: string): Error {
  const errors = [{ type, message, path: ["repository"], locations: [], extensions: {} }];
  const data = { data: null, errors } as never;
  return new GraphqlResponseError({ ...request, query: "mutation" } as never, {}, data);
}

/** The error that Octokit throws when GitHub fails while it answers a query. */
export function queryFailure(): Error {
  const errors = [{ message: "Something went wrong while executing your query." }] as never;
  return new GraphqlResponseError({ ...request, query: "query" } as never, {}, {
    data: null,
    errors,
  } as never);
}

export type FieldErrors = readonly {
  readonly type: string;
  readonly message: string;
  readonly path: readonly string[];
}[];

/** The error that Octokit throws when some fields of an answer failed. */
export function partialAnswer(data: object, errors: FieldErrors): Error {
  const described = errors.map((error) => ({ ...error, locations: [], extensions: {} }));
  return new GraphqlResponseError({ ...request, query: "mutation" } as never, {}, {
    data,
    errors: described,
  } as never);
}

/** Throws the errors of the port, as the adapter does. */
export async function throwing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toCodeHostError(error);
  }
}

/** Turns a failure of a simulated call into Octokit's error. Other errors pass through unchanged. */
function asOctokit(error: unknown): unknown {
  if (!(error instanceof VirtualFailure)) return error;
  const status = statuses[error.kind];
  if (status === null) return new RequestError(error.message, 500, { request });
  const refused = refusalBy(status, { message: error.message }, error.retryAfterMs);
  if (error.isOfReading) refused.request = { ...request, method: "GET" };
  return refused;
}
