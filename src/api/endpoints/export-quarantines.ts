import * as z from "zod";
import { repositoryEndpoint } from "../endpoint.ts";
import { presentQuarantine } from "../present-quarantine.ts";
import { presented } from "../presented.ts";
import { exportedQuarantine } from "../schema/quarantine.ts";
import { repository } from "../schema/repository.ts";

export const exportQuarantines = repositoryEndpoint(
  {
    path: "flaky-tests/export-quarantines",
    summary: "Lists all that is quarantined, or that somebody has said something of, to be kept in a file.",
    scope: "read",
    kind: "question",
    body: z.object({ repo: repository }),
    answer: z.object({ quarantines: z.array(exportedQuarantine) }),
  },
  async ({ repo }, { quarantines }) =>
    presented(await quarantines.list(repo), (tests) => ({ quarantines: tests.map(presentQuarantine) })),
);
