import { changesBetween } from "../../service/access/audit-changes.ts";
import { noteChanges } from "../../service/access/audit-trail.ts";
import type { QuarantineCandidate } from "../store/quarantines/quarantine-store.ts";
import type { RevisedTest } from "./quarantines.ts";

const longestName = 300;

/** The quarantine of a test, with the names and forms of the API. */
export function quarantineFields({ mode, isQuarantined, quarantine, ticketUrl }: QuarantineCandidate) {
  const held = isQuarantined ? quarantine : null;
  return {
    quarantine_setting: `${mode}_QUARANTINE` as const,
    quarantined: isQuarantined,
    quarantined_at: held && new Date(held.since).toISOString(),
    expires_at: held && new Date(held.expiresAt).toISOString(),
    owner: held?.owner ?? null,
    reason: held?.reason ?? "",
    ticket_url: ticketUrl,
  };
}

/** Records in the audit log what was changed about a test's quarantine or ticket. */
export function noteRevision({ before, after }: RevisedTest): void {
  noteChanges({
    changes: changesBetween(quarantineFields(before), quarantineFields(after)),
    subject: { kind: "test", id: after.id, name: after.name.slice(0, longestName) },
  });
}
