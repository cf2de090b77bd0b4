import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";
import { repository } from "../../api/schema/addresses.ts";
import { ignoredField, time, timestamp } from "../../api/schema/fields.ts";
import { changesBetween } from "../../service/access/audit-changes.ts";
import { noteChanges } from "../../service/access/audit-trail.ts";
import { accepted, type Outcome } from "../../service/runtime/outcome.ts";
import { longestVariant } from "../identity.ts";
import type { QuarantineMode } from "../quarantine/decide-quarantine.ts";
import type { RevisedTest } from "../service/quarantines.ts";
import { noteRevision, quarantineFields } from "../service/revised-tests.ts";
import type { QuarantineCandidate } from "../store/quarantines/quarantine-store.ts";

export const quarantineSettings = ["ALWAYS_QUARANTINE", "NEVER_QUARANTINE", "AUTO_QUARANTINE"] as const;

export const testCaseId = z
  .uuid({ error: "must be the id of a test, a UUID" })
  .toLowerCase()
  .describe("The test, by its id in lists.");

const ticket = z
  .string()
  .max(2_048)
  .regex(/^https?:\/\/[^\s<>"]+$/, { error: "must be the address of a ticket, as in https://…" });

/** A ticket's address; empty removes it. */
export const ticketAddress = z.union([ticket, z.literal("")], {
  error: (issue) =>
    issue.input === undefined
      ? undefined
      : "must be the address of a ticket, as in https://…, or empty for none",
});

const reason = z.string().max(500).describe("Why, for people.");
const owner = z
  .string()
  .min(1)
  .max(255)
  .describe("Who takes care of the test. Default: its first code owner.");

export const settingFields = {
  quarantine_setting: z
    .enum(quarantineSettings)
    .describe(
      "`ALWAYS_QUARANTINE`: its failures are forgiven until the expiry. `NEVER_QUARANTINE`: they count. `AUTO_QUARANTINE`: they are forgiven while it is flaky.",
    ),
  reason: reason.default(""),
  owner: owner.optional(),
  expires_at: time.optional().describe("When the quarantine ends. Default: in 30 days."),
};

/** A quarantine with its test, as it is exported and imported. */
export const exportedQuarantine = z.object({
  test_case_id: z.uuid(),
  name: z.string(),
  parent: z.string().nullable(),
  file: z.string().nullable(),
  classname: z.string().nullable(),
  variant: z.string(),
  quarantine_setting: z.enum(quarantineSettings),
  quarantined: z.boolean(),
  quarantined_at: timestamp.nullable(),
  expires_at: timestamp.nullable(),
  owner: z.string().nullable(),
  reason: z.string(),
  ticket_url: z.string().nullable(),
});

const text = z.string().max(20_000);

/** A quarantine with its test, in the form that clients may send. */
export const importedQuarantine = z.strictObject({
  test_case_id: testCaseId,
  name: text,
  parent: text.nullable(),
  file: text.nullable(),
  classname: text.nullable(),
  variant: z.string().max(longestVariant),
  quarantine_setting: z.enum(quarantineSettings),
  quarantined: z.boolean().default(false),
  // A field of exportQuarantines, which the time of the import replaces.
  quarantined_at: ignoredField("A file of exportQuarantines"),
  expires_at: time.nullable().default(null),
  owner: owner.nullable().default(null),
  reason: reason.default(""),
  ticket_url: ticket.nullable().default(null),
});

export const setQuarantine = repositoryEndpoint(
  {
    path: "flaky-tests/set-quarantine",
    summary: "Decides whether a test's failures are forgiven, or leaves that to detection.",
    scope: "queue:admin",
    accepts: ["person"],
    kind: "command",
    body: z.strictObject({ repo: repository, test_case_id: testCaseId, ...settingFields }),
    answer: exportedQuarantine,
  },
  async ({ repo, test_case_id, quarantine_setting, reason, owner, expires_at }, { quarantines }) => {
    const setting = { mode: modeOf(quarantine_setting), reason, owner: owner ?? null };
    const expiresAt = expires_at ?? null;
    return presentRevised(await quarantines.set(repo, test_case_id, { ...setting, expiresAt }));
  },
);

export const linkTicketToTestCase = repositoryEndpoint(
  {
    path: "flaky-tests/link-ticket-to-test-case",
    summary: "Links a test to the ticket about it.",
    scope: "queue:admin",
    kind: "command",
    body: z.strictObject({
      repo: repository,
      test_case_id: testCaseId,
      external_ticket_id: ticketAddress.describe("The ticket's address; an empty one removes it."),
    }),
    answer: exportedQuarantine,
  },
  async ({ repo, test_case_id, external_ticket_id: url }, { quarantines }) =>
    presentRevised(await quarantines.linkTicket(repo, test_case_id, url || null)),
);

export const exportQuarantines = repositoryEndpoint(
  {
    path: "flaky-tests/export-quarantines",
    summary: "Lists every quarantine, automatic or manual, to be kept in a file.",
    scope: "read",
    kind: "question",
    body: z.strictObject({ repo: repository }),
    answer: z.object({ quarantines: z.array(exportedQuarantine) }),
  },
  async ({ repo }, { quarantines }) => {
    const listed = await quarantines.list(repo);
    if (!listed.ok) return listed;
    const all = [];
    for await (const test of listed.value) all.push(presentQuarantine(test));
    return accepted({ quarantines: all });
  },
);

export const importQuarantines = repositoryEndpoint(
  {
    path: "flaky-tests/import-quarantines",
    summary:
      "Imports what exportQuarantines listed. A test that was quarantined by detection stays quarantined until the listed expiry.",
    scope: "queue:admin",
    kind: "command",
    body: z.strictObject({ repo: repository, quarantines: z.array(importedQuarantine).max(10_000) }),
    answer: z.object({ imported: z.int().min(0).describe("The number of imported quarantines.") }),
  },
  async ({ repo, quarantines: sent }, { quarantines }) => {
    const imported = sent.map((one) => ({
      test: {
        id: one.test_case_id,
        ...{ name: one.name, parent: one.parent, file: one.file, classname: one.classname },
        variant: one.variant,
      },
      // Here is no evidence against the test yet, so detection would end the quarantine at once.
      mode: one.quarantined ? ("ALWAYS" as const) : modeOf(one.quarantine_setting),
      ...{ reason: one.reason, owner: one.owner, expiresAt: one.expires_at, ticketUrl: one.ticket_url },
    }));
    const outcome = await quarantines.import(repo, imported);
    if (outcome.ok) noteChanges({ changes: importedChanges(outcome.value.revised) });
    return presented(outcome, ({ count }) => ({ imported: count }));
  },
);

type Setting = (typeof quarantineSettings)[number];

export function modeOf(setting: Setting): QuarantineMode {
  return setting.replace("_QUARANTINE", "") as QuarantineMode;
}

/** Presents a test whose quarantine or ticket was set, and notes in the audit log what was changed. */
function presentRevised(revised: Outcome<RevisedTest>): Outcome<z.output<typeof exportedQuarantine>> {
  if (revised.ok) noteRevision(revised.value);
  return presented(revised, ({ after }) => presentQuarantine(after));
}

const longestName = 150;

/** An import may change many tests, so each test is one field. */
function importedChanges(revised: readonly RevisedTest[]) {
  const fieldsOf = (state: keyof RevisedTest) =>
    Object.fromEntries(
      revised.map(({ [state]: test }) => {
        const {
          name,
          test_case_id: id,
          quarantine_setting: setting,
          expires_at: end,
        } = presentQuarantine(test);
        return [`${name.slice(0, longestName)} (${id})`, end === null ? setting : `${setting} until ${end}`];
      }),
    );
  return changesBetween(fieldsOf("before"), fieldsOf("after"));
}

export function presentQuarantine(test: QuarantineCandidate): z.output<typeof exportedQuarantine> {
  const { id, name, parent, file, classname, variant } = test;
  return { test_case_id: id, name, parent, file, classname, variant, ...quarantineFields(test) };
}
