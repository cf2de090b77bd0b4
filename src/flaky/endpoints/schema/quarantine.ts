import * as z from "zod";
import { ignoredField, time, timestamp } from "../../../api/schema/fields.ts";

import { longestVariant } from "../../identity.ts";

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
  // exportQuarantines lists it. The time of the import replaces it.
  quarantined_at: ignoredField("A file of exportQuarantines"),
  expires_at: time.nullable().default(null),
  owner: owner.nullable().default(null),
  reason: reason.default(""),
  ticket_url: ticket.nullable().default(null),
});
