import type { RepositoryRef } from "../engine/model/queue.ts";

/** Who did something, by the proof that was given. */
export interface AuditActor {
  /**
   * An API token, a person on the code host, a workflow by its OIDC token, a run of a fork's workflow, or whoever uses the
   * command line of this service.
   */
  readonly kind: "token" | "user" | "workflow" | "fork_run" | "operator";
  /** The token's id (never its secret), a login, an OIDC subject, a run's id, a user of the machine. */
  readonly id: string;
  /** For people to read: the token's name, the workflow's. */
  readonly name: string;
}

/** What somebody did, or was refused. */
export interface AuditEntry {
  readonly at: number;
  /** Whose entry it is: the owner of the repositories or of the token, in lower case. */
  readonly organisation: string;
  /** An endpoint's name, which the command line uses for what an endpoint does, too, or `createToken`, `revokeToken`. */
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  /** Why it was not done; null when it was. */
  readonly code: string | null;
  readonly actor: AuditActor;
  readonly via: "api" | "action" | "comment" | "label" | "auto_merge" | "check" | "cli";
  readonly repo: RepositoryRef | null;
  readonly branch: string | null;
  readonly pr: number | null;
  /** The id of the token that was created or revoked. */
  readonly token: string | null;
  /** Where it came from; null when that is not known, as for comments. */
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

export interface AuditRecord extends AuditEntry {
  /** Grows with every entry of the organisation. */
  readonly id: number;
}

/** Where a page begins. */
export interface AuditPlace {
  readonly at: number;
  readonly id: number;
}

/** Null means any. */
export interface AuditQuery {
  readonly organisation: string;
  readonly repo: RepositoryRef | null;
  readonly action: string | null;
  /** An actor's id, in any case. */
  readonly actor: string | null;
  readonly since: number | null;
  /** Exclusive. */
  readonly until: number | null;
  readonly after: AuditPlace | null;
  readonly limit: number;
}

/** Who did what. Entries are added, and after their time forgotten; none is ever changed. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** Of one organisation, newest first. */
  list(query: AuditQuery): Promise<readonly AuditRecord[]>;
  /** Forgets at most `limit` entries older than a time, the oldest first. Answers how many. */
  forget(before: number, limit: number): Promise<number>;
}
