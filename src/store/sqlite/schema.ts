import type { Generated, Kysely, Transaction } from "kysely";
import type { TargetSource } from "../../engine/model/targets.ts";
import type { TestSchema } from "../../flaky/store/test-schema.ts";
import type { GivenUpCode } from "../leased/inbox.ts";
import type { ReplicaSchema } from "./replica-schema.ts";
import type { WebhookSchema } from "./webhook-schema.ts";

/** The tables after all of `migrations/`. Times are in milliseconds since the epoch, flags are 0 or 1. */
export interface Schema extends TestSchema, ReplicaSchema, WebhookSchema {
  queues: QueueTable;
  events: EventTable;
  archived_events: ArchivedEventsTable;
  queue_stops: QueueStopTable;
  snapshots: SnapshotTable;
  past_states: PastStateTable;
  entries: EntryTable;
  outbox: LeasedTable;
  inbox: LeasedTable;
  deliveries: DeliveryTable;
  tokens: TokenTable;
  publications: PublicationTable;
  targets: TargetTable;
  target_names: TargetNameTable;
  heads: HeadTable;
  last_commands: LastCommandTable;
  cursors: CursorTable;
  idempotency_keys: IdempotencyTable;
  tallies: TallyTable;
  test_runs: TestRunTable;
  audit_log: AuditTable;
  meters: MeterTable;
  signing_keys: SigningKeyTable;
  dashboard_sessions: DashboardSessionTable;
  call_limits: CallLimitTable;
  health_folds: TallyTable;
  health_hours: HealthHourTable;
}

/** For reading. Sees only committed data. */
export type Database = Kysely<Schema>;
/** For writing: all or nothing. */
export type Tx = Transaction<Schema>;

/** `repo_key` is `host/owner/name` in lower case, for comparison; the other columns keep the spelling. */
export interface RepositoryColumns {
  host: string;
  owner: string;
  name: string;
  repo_key: string;
}

export interface QueueTable extends RepositoryColumns {
  id: string;
  branch: string;
  installation_id: number;
  /** Null until it is read. */
  repository_id: number | null;
  created_at: number;
  deleted: Generated<number>;
}

interface EventTable {
  queue_id: string;
  seq: number;
  at: number;
  content: string;
}

interface ArchivedEventsTable {
  queue_id: string;
  first_seq: number;
  last_seq: number;
  content: Uint8Array;
}

interface QueueStopTable extends Pick<EventTable, "queue_id" | "seq"> {
  type: string;
  stops: number;
}

interface SnapshotTable {
  queue_id: string;
  seq: number;
  state: string;
}

interface PastStateTable {
  queue_id: string;
  seq: number;
  at: number;
  marks: string;
  state: Uint8Array;
}

/** A projection of the log: one row per pull request and queue. */
interface EntryTable {
  queue_id: string;
  pr: number;
  state: string;
  head_ref: string;
  submitted_at: number;
  /** Null while it is live. */
  ended_at: number | null;
  /** The title, the author and the head branch in lower case, one a line. */
  search_text: string;
  head_sha: string | null;
  /** The commit on the base that it merged as; null = it did not. */
  merged_sha: string | null;
  content: string;
  /** The numbers of the events of its story, in order, also of earlier submissions; each follows a comma. */
  event_seqs: Generated<string>;
}

/** Rows that wait for a worker or are leased by one; see leased-queue.ts. */
export interface LeasedTable {
  id: Generated<number>;
  stream: string;
  content: string;
  coalesces: number;
  not_before: number;
  /** When the row can be claimed; null while another row of its stream precedes it. */
  due_at: number | null;
  attempts: Generated<number>;
  failures: Generated<number>;
  /** The kind of the last failure, and how many failures of that kind came in a row. */
  failed_as: string | null;
  failed_in_a_row: Generated<number>;
  claimed_at: number | null;
  lease_owner: string | null;
  lease_until: number | null;
  last_error: string | null;
  /**
   * When it was first to be done, regardless of postponements; null in rows from before this column existed.
   */
  wanted_at: number | null;
}

interface MeterTable {
  organisation: string;
  series: string;
  value: number;
}

export interface DeliveryTable {
  id: string;
  event: string;
  action: string | null;
  subject: string | null;
  stream: string;
  /** Null after it was handled. */
  payload: string | null;
  received_at: number;
  state: "waiting" | "handled" | "parked";
  /** When it was handled or given up. */
  handled_at: number | null;
  error: string | null;
  code: GivenUpCode | null;
}

export interface TokenTable {
  id: string;
  name: string;
  organisation: string;
  scopes: string;
  secret_sha256: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
}

export interface PublicationTable {
  repo_key: string;
  pr: number;
  comment_node: string | null;
  comment_digest: string | null;
  comment_mark: string | null;
  check_run_node: string | null;
  check_sha: string | null;
  check_digest: string | null;
  notice: string | null;
  /** In milliseconds since the epoch. */
  written_at: number;
}

interface TargetTable extends RepositoryColumns {
  pr: number;
  head_sha: string;
  uploaded_at: number;
  targets: string;
  source: TargetSource;
}

interface TargetNameTable {
  repo_key: string;
  pr: number;
  head_sha: string;
  uploaded_at: number;
  /** Null means ALL. */
  total: number | null;
  /** The first names as JSON, deflated. */
  names: Uint8Array;
}

interface HeadTable {
  repo_key: string;
  pr: number;
  sha: string;
  at: number;
}

interface LastCommandTable {
  repo_key: string;
  subject: string;
  command_id: string;
  comment_id: number;
  verb: string;
  at: number;
  answer: string;
}

interface CursorTable {
  name: string;
  value: string;
}

interface IdempotencyTable {
  organisation: string;
  key: string;
  request: string;
  /** JSON; null while the command is in progress. */
  answer: string | null;
  begun_at: number;
}

interface TallyTable {
  queue_id: string;
  /** The last counted event. */
  seq: number;
  content: string;
}

interface HealthHourTable {
  queue_id: string;
  /** When the hour begins. */
  at: number;
  /** JSON: the hour's figures in steps of five minutes, and the waits of what ended in it. */
  steps: string;
  stays: string;
}

interface TestRunTable {
  queue_id: string;
  run_id: string;
  started_at: number;
  ended_at: number | null;
  /** What CI tests; null until the run is built. */
  commit_sha: string | null;
  tree_sha: string | null;
  content: string;
}

interface AuditTable {
  organisation: string;
  /** Counted separately in each organisation. */
  id: number;
  at: number;
  action: string;
  /** The actor's id in lower case, for comparison. */
  actor_key: string;
  repo_key: string | null;
  content: string;
}

interface SigningKeyTable {
  name: string;
  /** Base64, or sealed if there is an encryption key. */
  value: string;
}

interface DashboardSessionTable {
  id_sha256: string;
  token_id: string | null;
  user_id: number | null;
  login: string | null;
  created_at: number;
  seen_at: number;
  expires_at: number;
  user_agent: string | null;
  machine: string | null;
}

interface CallLimitTable {
  installation_id: number;
  rest_stopped_until: number;
  graphql_stopped_until: number;
  minute_tokens: number;
  hour_tokens: number;
  filled_at: number;
}
