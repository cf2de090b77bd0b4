import * as z from "zod";
import { repositoryEndpoint } from "../../api/endpoint.ts";
import { repository } from "../../api/schema/addresses.ts";
import { accepted } from "../../service/runtime/outcome.ts";
import { presentQuarantine } from "./present/present-quarantine.ts";
import { exportedQuarantine } from "./schema/quarantine.ts";

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
