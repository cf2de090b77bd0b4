import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";

import { repository } from "../../api/schema/addresses.ts";
import { presentTestSettings } from "./present/present-test-settings.ts";
import { testSettingsAnswer } from "./schema/test-settings.ts";

export const getTestSettings = repositoryEndpoint(
  {
    path: "flaky-tests/get-test-settings",
    summary: "Reads the test settings of a repository, and what prevents them from taking effect.",
    scope: "read",
    kind: "question",
    body: z.strictObject({ repo: repository }),
    answer: testSettingsAnswer,
  },
  async ({ repo }, { testSettings }) => presented(await testSettings.get(repo), presentTestSettings),
);
