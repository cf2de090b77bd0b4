import { type FlakyPlaces, isFlakyAt, type RunPlace } from "../flaky/detection/history.ts";
import type { HeldQuarantine } from "../ports/test-result-store.ts";
import { parseStored } from "./corrupt-row.ts";
import type { Database } from "./schema.ts";
import type { TestCaseTable } from "./test-schema.ts";

/** What decides whether the failures of tests are forgiven. */
export function selectHeld(db: Database) {
  return db
    .selectFrom("test_cases")
    .select(["id", "status", "quarantine_mode", "quarantined", "flaky_places"])
    .select(["quarantine_owner", "quarantine_reason", "quarantine_expires_at", "ticket_url"]);
}

type HeldRow = Pick<
  TestCaseTable,
  | "id"
  | "status"
  | "quarantine_mode"
  | "quarantined"
  | "flaky_places"
  | "quarantine_owner"
  | "quarantine_reason"
  | "quarantine_expires_at"
  | "ticket_url"
>;

/** What forgives a test's failure in a run; null: nothing. */
export function heldAt(row: HeldRow, place: RunPlace): HeldQuarantine | null {
  const { quarantine_mode: mode, ticket_url: ticketUrl, quarantine_expires_at: expiresAt } = row;
  const isHeld = row.quarantined === 1 && (expiresAt ?? 0) > place.at;
  const held = { owner: row.quarantine_owner, reason: row.quarantine_reason ?? "", expiresAt, ticketUrl };
  if (mode !== "AUTO") return isHeld ? held : null;
  const places = placesOf(row);
  // Nothing that detection knows: it was set before it was found.
  if (places === null) return isHeld ? held : null;
  if (!isFlakyAt(places, place)) return null;
  if (isHeld) return held;
  if (row.status !== "HEALTHY") return null;
  const reason = "Passed and failed on one tree in this pull request";
  return { owner: null, reason, expiresAt: null, ticketUrl };
}

function placesOf({ id, flaky_places }: HeldRow): FlakyPlaces | null {
  return flaky_places === null ? null : parseStored<FlakyPlaces>(flaky_places, `the places of test ${id}`);
}
