import type { StorageFault } from "../../ports/storage-fault.ts";
import { type Refusal, type RefusalCode, renderRefusal } from "../../service/runtime/outcome.ts";

interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

/** All ways in which a request can fail. Refusals of the service are answered with their own codes. */
export const problemKinds = {
  BAD_REQUEST: { status: 400, title: "Bad request" },
  MALFORMED_JSON: { status: 400, title: "The body is not JSON" },
  MALFORMED_ENCODING: { status: 400, title: "The body cannot be decoded" },
  BODY_TOO_COMPLEX: { status: 400, title: "The body contains too many values, or is nested too deeply" },
  INVALID_BODY: { status: 400, title: "The body is invalid" },
  QUEUE_NOT_EMPTY: { status: 400, title: "The queue is not empty" },
  WEBHOOK_ADDRESS_REFUSED: { status: 400, title: "Webhooks cannot be sent to this address" },
  WEBHOOK_PORT_REFUSED: { status: 400, title: "Webhooks cannot be sent to this port" },
  PAGE_TOKEN_NOT_VALID: { status: 400, title: "The page token is not valid" },
  BUNDLE_NOT_READABLE: { status: 400, title: "The bundle cannot be read" },
  TOKEN_MISSING: { status: 401, title: "No API token" },
  TOKEN_NOT_VALID: { status: 401, title: "The API token is not valid" },
  WORKFLOW_TOKEN_NOT_VALID: { status: 401, title: "The workflow's token is not valid" },
  FORK_RUN_NOT_ACCEPTED: { status: 401, title: "The run is not accepted in place of a token" },
  SCOPE_MISSING: { status: 403, title: "The API token lacks the scope" },
  PERMISSION_TOO_LOW: { status: 403, title: "The permission on the repository is too low" },
  API_TOKEN_NEEDED: { status: 403, title: "An API token is needed" },
  WORKFLOW_OF_OTHER_HEAD: { status: 403, title: "The workflow runs on another commit" },
  WORKFLOW_OF_OTHER_BRANCH: { status: 403, title: "The workflow runs for another branch" },
  BUNDLE_ADDRESS_NOT_VALID: { status: 403, title: "The bundle's address is not valid" },
  PATH_NOT_FOUND: { status: 404, title: "No such path" },
  QUEUE_NOT_FOUND: { status: 404, title: "No such queue" },
  PR_NOT_FOUND: { status: 404, title: "No such pull request" },
  HEAD_NOT_FOUND: { status: 404, title: "No such commit" },
  OWN_PULL_REQUEST: { status: 409, title: "The pull request belongs to the queue" },
  NEVER_SUBMITTED: { status: 404, title: "The pull request was never submitted" },
  TEST_RUN_NOT_FOUND: { status: 404, title: "No such test run" },
  REPOSITORY_NOT_FOUND: { status: 404, title: "No such repository" },
  TEST_NOT_FOUND: { status: 404, title: "No such test" },
  WEBHOOK_NOT_FOUND: { status: 404, title: "No such webhook" },
  WEBHOOK_DELIVERY_NOT_FOUND: { status: 404, title: "No such delivery of a webhook" },
  BRANCH_NOT_FOUND: { status: 404, title: "No such branch" },
  HOST_NOT_SERVED: { status: 404, title: "The code host is not served" },
  APP_NOT_INSTALLED: { status: 404, title: "The GitHub App is not installed" },
  REQUEST_TIMEOUT: { status: 408, title: "The request arrived too slowly" },
  HEADERS_TOO_LARGE: { status: 431, title: "The headers are too large" },
  METHOD_NOT_ALLOWED: { status: 405, title: "Method not allowed" },
  QUEUE_EXISTS: { status: 409, title: "The queue already exists" },
  SWITCHING_MODES: { status: 409, title: "The queue is switching modes" },
  PR_NOT_OPEN: { status: 409, title: "The pull request is not open" },
  HEAD_MISMATCH: { status: 409, title: "The pull request has another head" },
  HEAD_NOT_PROVEN: { status: 409, title: "The head may be newer than the command" },
  FORK_NEEDS_SHA: { status: 409, title: "The head of a fork has to be named" },
  PART_OF_STACK: { status: 409, title: "The pull request depends on others of its stack" },
  OTHER_QUEUE: { status: 409, title: "The pull request belongs to the queue of another branch" },
  REQUEUE_NEEDS_PERSON: { status: 409, title: "A person has to submit this head again" },
  FORKS_DENIED: { status: 409, title: "The queue does not accept forks" },
  FORK_CHANGES_WORKFLOWS: { status: 409, title: "A fork changes workflows" },
  REPOSITORY_FILE_INVALID: { status: 409, title: "The repository's file is invalid" },
  QUEUE_CANNOT_WORK: { status: 409, title: "The repository's rules keep the queue from merging" },
  COMMANDS_DISABLED: { status: 409, title: "Commands are switched off" },
  NOT_QUEUED: { status: 409, title: "The pull request is not queued" },
  NOT_TESTING: { status: 409, title: "The pull request is not being tested" },
  ALREADY_QUEUED: { status: 409, title: "The pull request is already in the queue" },
  MESSAGE_ALREADY_TESTED: { status: 409, title: "Another commit message is being tested" },
  REBASE_KEEPS_MESSAGES: { status: 409, title: "A rebase keeps the messages of the commits" },
  MERGE_ALREADY_ORDERED: { status: 409, title: "The merge has already been requested" },
  TOO_MANY_WEBHOOKS: { status: 409, title: "Too many webhooks" },
  ENCRYPTION_KEY_MISSING: { status: 409, title: "The service has no encryption key for secrets" },
  IDEMPOTENCY_CONFLICT: { status: 409, title: "The idempotency key is already used" },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, title: "The request with this key is still being served" },
  BODY_TOO_LARGE: { status: 413, title: "The body is too large" },
  FORK_BODY_TOO_LARGE: { status: 413, title: "The body is too large for a request without a token" },
  MEDIA_TYPE_NOT_SUPPORTED: { status: 415, title: "The body's type is not supported" },
  ENCODING_NOT_SUPPORTED: { status: 415, title: "The body's encoding is not supported" },
  RATE_LIMITED: { status: 429, title: "Too many requests" },
  INTERNAL_ERROR: { status: 500, title: "Internal error" },
  CODE_HOST_DENIED: { status: 409, title: "The code host denied this to the App" },
  CODE_HOST_UNAVAILABLE: { status: 503, title: "The code host does not answer" },
  ISSUER_UNAVAILABLE: { status: 503, title: "The issuer of workflow tokens does not answer" },
  TOO_BUSY: { status: 503, title: "Too many bodies are being sent at the moment" },
  NOT_READY: { status: 503, title: "Not ready" },
  DATABASE_FULL: { status: 503, title: "The disk is full" },
  DATABASE_READ_ONLY: { status: 503, title: "The database's files cannot be written to" },
  DATABASE_WRITE_FAILED: { status: 503, title: "Writing to the database fails" },
  DATABASE_BUSY: { status: 503, title: "The database is busy or locked" },
  DATABASE_CORRUPT: { status: 503, title: "The database's files are damaged" },
  DATABASE_NOT_ANSWERING: { status: 503, title: "The database does not answer" },
  DATABASE_FILE_MOVED: { status: 503, title: "The database's file was moved, removed or replaced" },
  SCHEMA_NEWER: { status: 503, title: "A newer version of Trainyard has migrated the database" },
  APP_NOT_READ_YET: { status: 503, title: "The GitHub App has not been read yet" },
  APP_CREDENTIALS_REFUSED: { status: 503, title: "GitHub rejects the App's credentials" },
  APP_PERMISSIONS_MISSING: { status: 503, title: "The GitHub App lacks permissions" },
  SHUTTING_DOWN: { status: 503, title: "Shutting down" },
} as const satisfies Record<string, ProblemKind> & Record<RefusalCode | StorageFault["code"], ProblemKind>;

export type ProblemCode = keyof typeof problemKinds;

/** An error at one place of the body or the query. */
export interface FieldError {
  /** `repo.owner`, `impactedTargets[3]`; "" is the body itself. */
  readonly path: string;
  readonly message: string;
}

/** Why a request was not served. */
export interface Problem {
  readonly code: ProblemCode;
  /** Describes the problem, and how to solve it. */
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Carries a problem through Fastify, whose hooks and parsers can only throw. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The body of an `application/problem+json` answer. Source: RFC 9457. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The request's id, which also appears in the log. */
  readonly instance: string;
  readonly code: ProblemCode;
  readonly errors?: readonly FieldError[];
}

export function renderProblem({ code, detail, errors }: Problem, instance: string): ProblemBody {
  const { status, title } = problemKinds[code];
  return { type: `/problems/${code}`, title, status, detail, instance, code, ...(errors ? { errors } : {}) };
}

/** Used when the code host does not say how long to wait. */
const defaultRetryMs = 10_000;

/** Converts a refusal of the service into the answer to a request. */
export function refusalProblem(refusal: Refusal): Problem {
  const problem = { code: refusal.code, detail: renderRefusal(refusal) };
  switch (refusal.code) {
    case "QUEUE_NOT_FOUND":
      // A queue of another organisation gets the same answer, so the text must fit both cases.
      return {
        ...problem,
        detail: `${problem.detail} A token reaches only the repositories of its own organisation, a workflow only its own repository, a person those that GitHub shows to them.`,
      };
    case "CODE_HOST_UNAVAILABLE":
      return { ...problem, headers: { "retry-after": seconds(refusal.retryAfterMs ?? defaultRetryMs) } };
    default:
      return problem;
  }
}

function seconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)));
}
