import type * as z from "zod";
import { renderTimestamp } from "../../../api/schema/fields.ts";
import { fingerprintOf } from "../../failure/fingerprint.ts";
import type { FailedTest } from "../../quarantine/judge-upload.ts";
import { digest } from "../../service/uploads/digest.ts";
import type { JudgedUpload } from "../../service/uploads/test-ingest.ts";
import type { judgedUpload } from "../schema/test-upload.ts";

const mostListed = 1_000;

type Answer = z.output<typeof judgedUpload>;

export function presentUpload(upload: JudgedUpload): Answer {
  const { id, isNew, isSuspect, verdict: judged, reports, tests, quarantines } = upload;
  const { verdict, code, message, failed, quarantined } = judged;
  return {
    upload_id: String(id ?? ""),
    is_new: isNew,
    ...{ verdict, code, message },
    failed: failed.slice(0, mostListed).map((test) => presentFailed(test, upload)),
    quarantined: quarantined.slice(0, mostListed).map((test) => {
      const held = quarantines.get(test.id);
      return {
        ...presentFailed(test, upload),
        quarantine_owner: held?.owner ?? null,
        quarantine_reason: held?.reason ?? "",
        quarantine_expires_at: held?.expiresAt == null ? null : renderTimestamp(held.expiresAt),
        ticket_url: held?.ticketUrl ?? null,
      };
    }),
    failed_count: failed.length,
    quarantined_count: quarantined.length,
    is_suspect: isSuspect,
    tests: { ...tests },
    reports: reports.map(({ path, cases, fault }) => ({ path, cases, fault: fault && { ...fault } })),
  };
}

function presentFailed({ id, run }: FailedTest, { variantOf }: JudgedUpload): Answer["failed"][number] {
  const { name, parent, file, classname, attempts } = run;
  const failure = attempts.findLast((attempt) => attempt.failure !== null)?.failure;
  const summary = failure ? fingerprintOf(failure, digest).summary : "";
  return { id, name, parent, file, classname, variant: variantOf(run), summary };
}
