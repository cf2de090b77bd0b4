import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";

import { repository } from "../../api/schema/addresses.ts";
import { modeOf } from "./present/present-quarantine.ts";
import { importedQuarantine } from "./schema/quarantine.ts";

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
      // There is no evidence against the test here yet, so detection would end its quarantine at once.
      mode: one.quarantined ? ("ALWAYS" as const) : modeOf(one.quarantine_setting),
      ...{ reason: one.reason, owner: one.owner, expiresAt: one.expires_at, ticketUrl: one.ticket_url },
    }));
    return presented(await quarantines.import(repo, imported), ({ count }) => ({ imported: count }));
  },
);
