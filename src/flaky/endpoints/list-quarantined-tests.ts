import * as z from "zod";
import { presented } from "../../api/endpoint.ts";
import { presentPage, presentQuarantined } from "./present/present-test.ts";
import { pageAnswer, pageQuery } from "./schema/page-query.ts";
import { quarantinedTest } from "./schema/test-case.ts";
import { testsAddress, testsEndpoint } from "./tests-endpoint.ts";

export const listQuarantinedTests = testsEndpoint(
  {
    path: "flaky-tests/list-quarantined-tests",
    summary: "Lists the tests whose failures are forgiven, the most recently quarantined first.",
    body: testsAddress.extend({ page_query: pageQuery }),
    answer: z.object({ quarantined_tests: z.array(quarantinedTest), page: pageAnswer }),
  },
  async ({ repo, page_query: { page_size: size, page_token: token } }, { knownTests }) =>
    presented(await knownTests.page({ repo, list: { kind: "quarantined" }, size, token }), (page) => ({
      quarantined_tests: page.rows.map(presentQuarantined),
      page: presentPage(page),
    })),
);
