import { withClient } from "../postgres.ts";

/**
 * Makes the database itself watch the claims of work, whatever the service believes: a claim is double when
 * another one has not ended, neither by its owner nor by its time.
 */
const watching = `
  create table double_claims (at timestamptz default now(), content text, first text, second text);
  create function note_double_claim() returns trigger language plpgsql as $$
  begin
    insert into double_claims (content, first, second) values (old.content, old.lease_owner, new.lease_owner);
    return new;
  end $$;
  create trigger watch_claims before update on outbox for each row
    when (old.lease_owner is not null and new.lease_owner is not null
      and old.lease_owner <> new.lease_owner and old.lease_until > new.claimed_at)
    execute function note_double_claim();
  create trigger watch_claims before update on inbox for each row
    when (old.lease_owner is not null and new.lease_owner is not null
      and old.lease_owner <> new.lease_owner and old.lease_until > new.claimed_at)
    execute function note_double_claim();
`;

export async function watchClaims(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(watching));
}

/** Describes the claims that two replicas held at the same time. */
export async function findDoubleClaims(databaseUrl: string): Promise<readonly string[]> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ content: string; first: string; second: string }>("select * from double_claims"),
  );
  return rows.map(
    ({ content, first, second }) => `${first} and ${second} both held ${content.slice(0, 200)}`,
  );
}
