import type { RepositoryRef } from "../engine/model/queue.ts";

/** The actor of an action, as proven by the credentials that were presented. */
export interface AuditActor {
  /**
   * An API token, a person on the code host, a workflow with its OIDC token, a run of a fork's workflow, or a
   * user of this service's command line.
   */
  readonly kind: "token" | "user" | "workflow" | "fork_run" | "operator";
  /** A token's id (never its secret), a login, an OIDC subject, a run's id, or a user of the machine. */
  readonly id: string;
  /** For people to read: the name of the token or of the workflow. */
  readonly name: string;
}

/** One action that an actor did or was refused. */
export interface AuditEntry {
  readonly at: number;
  /**
   * The organisation that the entry belongs to: the owner of the repositories or of the token, in lower case.
   */
  readonly organisation: string;
  /**
   * An endpoint's name, also when the command line does what that endpoint does; or `createToken`,
   * `revokeToken`.
   */
  readonly action: string;
  readonly outcome: "done" | "refused" | "failed";
  /** Why it was not done; null when it was done. */
  readonly code: string | null;
  readonly actor: AuditActor;
  readonly via: "api" | "action" | "comment" | "label" | "auto_merge" | "check" | "cli";
  readonly repo: RepositoryRef | null;
  readonly branch: string | null;
  readonly pr: number | null;
  /** The id of the token that was created or revoked. */
  readonly token: string | null;
  /** The address that the request came from; null when unknown, as for comments. */
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}

export interface AuditRecord extends AuditEntry {
  /** Increases with every entry of the organisation. */
  readonly id: number;
}

/** The position where a page begins. */
export interface AuditPlace {
  readonly at: number;
  readonly id: number;
}

/** A null filter matches everything. */
export interface AuditQuery {
  readonly organisation: string;
  readonly repo: RepositoryRef | null;
  readonly action: string | null;
  /** An actor's id, compared case-insensitively. */
  readonly actor: string | null;
  readonly since: number | null;
  /** Exclusive. */
  readonly until: number | null;
  readonly after: AuditPlace | null;
  readonly limit: number;
}

/** The audit log. Entries are added, never changed, and deleted after the retention period. */
export interface AuditLog {
  append(entry: AuditEntry): Promise<void>;
  /** The entries of one organisation, newest first. */
  list(query: AuditQuery): Promise<readonly AuditRecord[]>;
  /** Deletes at most `limit` entries older than a time, the oldest first. Returns the number deleted. */
  forget(before: number, limit: number): Promise<number>;
}
