import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";

import { repository } from "../../api/schema/addresses.ts";
import { presentQuarantine } from "./present/present-quarantine.ts";
import { exportedQuarantine, testCaseId, ticketAddress } from "./schema/quarantine.ts";

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
    presented(await quarantines.linkTicket(repo, test_case_id, url || null), presentQuarantine),
);
