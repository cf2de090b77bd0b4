import * as z from "zod";
import { presented } from "../../api/endpoint.ts";
import { presentDetails } from "./present/present-test.ts";
import { testDetails } from "./schema/test-case.ts";
import { testsAddress, testsEndpoint } from "./tests-endpoint.ts";

export const getTestDetails = testsEndpoint(
  {
    path: "flaky-tests/get-test-details",
    summary: "Reads a test: its status and the reason, how often it fails, and with which messages.",
    body: testsAddress.extend({
      test_id: z.uuid({ error: "must be the id of a test, a UUID" }).describe("As `test_case_id` in lists."),
    }),
    answer: z.object({ test: testDetails }),
  },
  async ({ repo, test_id }, { knownTests }) =>
    presented(await knownTests.details(repo, test_id), (test) => ({
      test: presentDetails(test, knownTests.addresses),
    })),
);
