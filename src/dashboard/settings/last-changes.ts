import { nameKey } from "../../engine/model/names.ts";
import type { AuditRecord } from "../../store/access/audit-log.ts";
import type { DashboardServices } from "../dashboard-services.ts";
import type { EditableSettings } from "./editable-settings.ts";

/** The number of newest changes that are searched. Pauses count, too. */
const mostRead = 300;

/** Returns the last entry of the audit log that changed each setting. */
export async function lastChanges(
  { audit }: Pick<DashboardServices, "audit">,
  { endpoint, repo, branch }: EditableSettings,
): Promise<ReadonlyMap<string, AuditRecord>> {
  const list = async (action: string) => {
    const { records } = await audit.list({
      ...{ organisation: nameKey(repo.owner), repo, action, actor: null },
      ...{ since: null, until: null, after: null, limit: mostRead },
    });
    return records.filter((record) => record.branch === branch);
  };
  const created = branch === null ? [] : await list("createQueue");
  const changed = [...(await list(endpoint)), ...created].flatMap((record) =>
    (record.changes ?? []).map(({ field }) => [field, record] as const),
  );
  // `Map` keeps the last of several entries of a field, so the newest has to come last.
  return new Map(changed.reverse());
}
