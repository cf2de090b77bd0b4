import type { Caller } from "./auth/caller.ts";

export interface LoggedRequest {
  /** GitHub's operation id; null for an address where GitHub has nothing. Of a GraphQL request: `graphql/` and its fields, such as `graphql/addComment+createCheckRun`. */
  operationId: string | null;
  method: string;
  /** With the query, without `/api/v3`. */
  path: string;
  /** 0: none, since the connection was reset. */
  status: number;
  actor: Caller["kind"];
  /** The user's login or the App's slug. */
  name: string | null;
  /** The pull request that the call is about, where that can be told. */
  pull: number | null;
  /** The REST version that the call names. */
  version: string | null;
  at: Date;
  /** What was injected, if anything was. */
  fault?: string;
}

/**
 * What clients asked of the REST and the GraphQL API. Answers of 304 cost GitHub's clients nothing, and git is no API: both
 * are only counted.
 */
export class RequestLog {
  readonly entries: LoggedRequest[] = [];
  notModified = 0;
  git = 0;

  record(request: LoggedRequest): void {
    if (request.status === 304) this.notModified += 1;
    else this.entries.push(request);
  }

  /** How often each operation was called, 304s apart. */
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
