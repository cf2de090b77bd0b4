import { parseStored } from "../../../store/queries/corrupt-row.ts";
import type { Database, Tx } from "../../../store/sqlite/schema.ts";
import type { SuitePlace } from "../packing/place-tests.ts";
import { idOf } from "../packing/stored-id.ts";
import { reasonOf } from "../reads/test-cases.ts";
import type { TestCaseTable } from "../test-schema.ts";
import { classColumn, fileColumn, parentColumn, type Suite, selectTests } from "../uploads/test-suites.ts";
import type { QuarantineCandidate } from "./quarantine-store.ts";

/** The rows of a repository's tests, with the columns that concern quarantines. */
export function selectCases(db: Database | Tx, repositoryId: number) {
  return selectTests(db)
    .select(["sk", "id", "name", parentColumn, fileColumn, classColumn, "variant", "codeowners", "status"])
    .select(["status_at", "status_reason", "quarantine_mode", "quarantined", "quarantined_at"])
    .select(["quarantine_expires_at", "quarantine_owner", "quarantine_reason", "ticket_url", "proven_at"])
    .where("repo_id", "=", repositoryId);
}

type CaseRow = Omit<
  TestCaseTable,
  "sk" | "repo_id" | "history" | "flaky_places" | "first_seen_at" | "last_seen_at" | keyof SuitePlace
> &
  Suite & { readonly sk: number };

export function toCandidate(row: CaseRow): QuarantineCandidate {
  const { sk, name, parent, file, classname, variant } = row;
  const reason = reasonOf(row.status_reason, `the status of test ${sk}`);
  const since = row.quarantined_at;
  return {
    ...{ sk, id: idOf(row.id), name, parent, file, classname, variant },
    mode: row.quarantine_mode,
    status: { status: row.status, at: row.status_at, reason },
    provenAt: row.proven_at,
    isQuarantined: row.quarantined === 1,
    quarantine:
      since === null
        ? null
        : {
            since,
            expiresAt: row.quarantine_expires_at ?? since,
            owner: row.quarantine_owner,
            reason: row.quarantine_reason ?? "",
          },
    owners:
      row.codeowners === null ? null : parseStored<string[]>(row.codeowners, `the owners of test ${sk}`),
    ticketUrl: row.ticket_url,
  };
}
