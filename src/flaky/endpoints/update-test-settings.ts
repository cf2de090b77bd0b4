import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";

import { repository } from "../../api/schema/addresses.ts";
import { presentTestSettings, requestedTestSettings } from "./present/present-test-settings.ts";
import { testSettingChanges, testSettingsAnswer } from "./schema/test-settings.ts";

export const updateTestSettings = repositoryEndpoint(
  {
    path: "flaky-tests/update-test-settings",
    summary: "Changes the test settings of a repository. Absent fields stay as they are.",
    scope: "queue:admin",
    kind: "command",
    // Strict, as with queues: a misspelt setting must not seem to be set.
    body: z.strictObject({ repo: repository, ...testSettingChanges }),
    answer: testSettingsAnswer,
  },
  async ({ repo, ...changes }, { testSettings }) =>
    presented(await testSettings.update(repo, requestedTestSettings(changes)), presentTestSettings),
);
