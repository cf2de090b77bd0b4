import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";

import { repository } from "../../api/schema/addresses.ts";
import { modeOf, presentQuarantine } from "./present/present-quarantine.ts";
import { exportedQuarantine, settingFields, testCaseId } from "./schema/quarantine.ts";

export const setQuarantine = repositoryEndpoint(
  {
    path: "flaky-tests/set-quarantine",
    summary: "Decides whether a test's failures are forgiven, or leaves that to detection.",
    scope: "queue:admin",
    kind: "command",
    body: z.strictObject({ repo: repository, test_case_id: testCaseId, ...settingFields }),
    answer: exportedQuarantine,
  },
  async ({ repo, test_case_id, quarantine_setting, reason, owner, expires_at }, { quarantines }) => {
    const setting = { mode: modeOf(quarantine_setting), reason, owner: owner ?? null };
    const expiresAt = expires_at ?? null;
    return presented(await quarantines.set(repo, test_case_id, { ...setting, expiresAt }), presentQuarantine);
  },
);
