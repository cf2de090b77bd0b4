import { parseStored } from "../../../store/queries/corrupt-row.ts";
import { inChunks } from "../../../store/queries/in-chunks.ts";
import type { Database } from "../../../store/sqlite/schema.ts";
import { type FlakyPlaces, isFlakyAt, type RunPlace } from "../../detection/flaky-failures.ts";
import { newerNumbers } from "../history/renames.ts";
import { idOf, numbersOf } from "../identities/test-ids.ts";
import type { TestCaseTable } from "../test-schema.ts";

import type { HeldQuarantine } from "../uploads/upload-records.ts";

/**
 * Finds the quarantines that forgive failures in a run, by test id. A failure under a retired name is also forgiven if it would be forgiven
 * under the new name, because a pull request may not contain the rename yet.
 */
export async function readHeldQuarantines(
  db: Database,
  repositoryId: number,
  ids: readonly string[],
  place: RunPlace,
): Promise<ReadonlyMap<string, HeldQuarantine>> {
  const found = new Map<string, HeldQuarantine>();
  for (const chunk of inChunks(ids)) {
    const rows = await selectHeld(db)
      .where("sk", "in", numbersOf(db, repositoryId, chunk))
      .execute();
    const automatic = rows.filter(({ quarantine_mode }) => quarantine_mode === "AUTO").map(({ sk }) => sk);
    const newer = await newerNumbers(db, automatic);
    for (const row of rows) {
      const renamed = newer.get(row.sk)?.at(-1);
      const held = heldAt(row, place) ?? (renamed === undefined ? null : await heldUnder(db, renamed, place));
      if (held) found.set(idOf(row.id), held);
    }
  }
  return found;
}

async function heldUnder(db: Database, sk: number, place: RunPlace): Promise<HeldQuarantine | null> {
  const row = await selectHeld(db).where("sk", "=", sk).executeTakeFirst();
  return row ? heldAt(row, place) : null;
}

/** Selects the columns that decide whether failures are forgiven. */
function selectHeld(db: Database) {
  return db
    .selectFrom("test_cases")
    .select(["sk", "id", "quarantine_mode", "quarantined", "flaky_places"])
    .select(["quarantine_owner", "quarantine_reason", "quarantine_expires_at", "ticket_url"]);
}

type HeldRow = Pick<
  TestCaseTable,
  | "id"
  | "quarantine_mode"
  | "quarantined"
  | "flaky_places"
  | "quarantine_owner"
  | "quarantine_reason"
  | "quarantine_expires_at"
  | "ticket_url"
>;

/** The quarantine that forgives a test's failure in a run; null when there is none. */
function heldAt(row: HeldRow, place: RunPlace): HeldQuarantine | null {
  const { quarantine_mode: mode, ticket_url: ticketUrl, quarantine_expires_at: expiresAt } = row;
  const isHeld = row.quarantined === 1 && (expiresAt ?? 0) > place.at;
  const held = { owner: row.quarantine_owner, reason: row.quarantine_reason ?? "", expiresAt, ticketUrl };
  if (mode !== "AUTO") return isHeld ? held : null;
  const places = placesOf(row);
  // Detection has no history of the test: its quarantine was set before the test was found flaky.
  if (places === null) return isHeld ? held : null;
  return isHeld && isFlakyAt(places, place) ? held : null;
}

function placesOf({ id, flaky_places }: HeldRow): FlakyPlaces | null {
  return flaky_places === null
    ? null
    : parseStored<FlakyPlaces>(flaky_places, `the places of test ${idOf(id)}`);
}
