import type { CallLimitStore, CallLimits } from "../../ports/code-host/app.ts";
import type { Database, Tx } from "../sqlite/schema.ts";
import { SqlStore } from "../sqlite/sql-store.ts";

export class SqlCallLimitStore extends SqlStore implements CallLimitStore {
  get(installationId: number): Promise<CallLimits | null> {
    return readLimits(this.db, installationId);
  }

  update(installationId: number, change: (known: CallLimits | null) => CallLimits): Promise<CallLimits> {
    return this.writes.run(async (tx) => {
      const limits = change(await readLimits(tx, installationId));
      const row = {
        rest_stopped_until: limits.restStoppedUntil,
        graphql_stopped_until: limits.graphqlStoppedUntil,
        minute_tokens: limits.minuteTokens,
        hour_tokens: limits.hourTokens,
        filled_at: limits.filledAt,
      };
      await tx
        .insertInto("call_limits")
        .values({ installation_id: installationId, ...row })
        .onConflict((known) => known.column("installation_id").doUpdateSet(row))
        .execute();
      return limits;
    });
  }
}

async function readLimits(db: Database | Tx, installationId: number): Promise<CallLimits | null> {
  const row = await db
    .selectFrom("call_limits")
    .selectAll()
    .where("installation_id", "=", installationId)
    .executeTakeFirst();
  if (!row) return null;
  return {
    restStoppedUntil: row.rest_stopped_until,
    graphqlStoppedUntil: row.graphql_stopped_until,
    minuteTokens: row.minute_tokens,
    hourTokens: row.hour_tokens,
    filledAt: row.filled_at,
  };
}
