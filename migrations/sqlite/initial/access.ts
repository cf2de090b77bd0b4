/** Tokens, sessions, and the audit log. */
export const accessTables: readonly string[] = [
  `create table tokens (
    id text not null primary key,
    name text not null,
    organisation text not null,
    scopes text not null,
    secret_sha256 text not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  )`,
  // Keys that the service generates for itself.
  `create table signing_keys (
    name text not null primary key,
    value text not null
  )`,
  // Signed-in browsers, by the digest of their cookie.
  `create table dashboard_sessions (
    id_sha256 text not null primary key,
    token_id text not null,
    created_at bigint not null,
    expires_at bigint not null
  )`,
  `create index dashboard_sessions_by_end on dashboard_sessions (expires_at)`,
  // Each list is a range of one index. Ids count within an organisation: a shared count would disclose the activity of
  // others.
  `create table audit_log (
    organisation text not null,
    id bigint not null,
    at bigint not null,
    action text not null,
    actor_key text not null,
    repo_key text,
    content text not null,
    primary key (organisation, id)
  )`,
  `create index audit_log_by_age on audit_log (at)`,
  `create index audit_log_by_organisation on audit_log (organisation, at, id)`,
  `create index audit_log_by_action on audit_log (organisation, action, at, id)`,
  `create index audit_log_by_actor on audit_log (organisation, actor_key, at, id)`,
  `create index audit_log_by_repository on audit_log (organisation, repo_key, at, id)`,
];

export const appendOnlyAuditLog =
  "create trigger audit_log_is_append_only before update on audit_log " +
  "begin select raise(abort, 'the audit log is append-only'); end";
