import type { Caller } from "./auth/authorize.ts";

interface LoggedRequest {
  /**
   * GitHub's operation id; null for an address that GitHub does not have. For a GraphQL request: `graphql/` and its fields, such
   * as `graphql/addComment+createCheckRun`.
   */
  operationId: string | null;
  method: string;
  /** With the query, without `/api/v3`. */
  path: string;
  /** 0 = no response, because the connection was reset. */
  status: number;
  actor: Caller["kind"];
  /** The user's login or the App's slug. */
  name: string | null;
  /** The pull request that the call is about, if that is known. */
  pull: number | null;
  /** The REST version that the call names. */
  version: string | null;
  at: Date;
  /** The label of the injected fault, if any. */
  fault?: string;
}

/**
 * The requests of clients to the REST and the GraphQL API. Responses with 304 are free for GitHub's clients, and git is not an
 * API, so both are only counted.
 */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  notModified = 0;
  git = 0;

  record(request: LoggedRequest): void {
    if (request.status === 304) this.notModified += 1;
    else this.entries.push(request);
  }

  /** Counts the calls of each operation, without 304 responses. */
  countByOperation(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { operationId } of this.entries) {
      const key = operationId ?? "unknown";
      counts[key] = (counts[key] ?? 0) + 1;
    }
    return counts;
  }

  clear(): void {
    this.entries.length = 0;
    this.notModified = 0;
    this.git = 0;
  }
}

/**
 * An event that cannot happen between a correct client and GitHub. A violation in a test or a demo shows a bug: of the caller
 * (`request`, `unimplemented`) or of the sandbox (`response`, `webhook`, `background`).
 */
export interface Violation {
  kind: "request" | "unimplemented" | "response" | "webhook" | "background";
  /** The operation id, the webhook's name, or the activity. */
  subject: string;
  detail: string;
}
