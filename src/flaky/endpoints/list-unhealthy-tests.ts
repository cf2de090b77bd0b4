import * as z from "zod";
import { presented } from "../../api/endpoint.ts";
import { anyCase } from "../../api/schema/fields.ts";
import { presentFound, presentPage } from "./present/present-test.ts";
import { pageAnswer, pageQuery } from "./schema/page-query.ts";
import { foundTest } from "./schema/test-case.ts";
import { testsAddress, testsEndpoint } from "./tests-endpoint.ts";

const upper = { flaky: "FLAKY", broken: "BROKEN" } as const;

export const listUnhealthyTests = testsEndpoint(
  {
    path: "flaky-tests/list-unhealthy-tests",
    summary: "Lists the tests that are flaky or broken, the most recently discovered first.",
    body: testsAddress.extend({
      status: anyCase(["flaky", "broken"]).optional().describe("Only those of this status."),
      page_query: pageQuery,
    }),
    answer: z.object({
      unhealthy_tests: z.array(foundTest),
      tests: z.array(foundTest).describe("The same list under the name that the hosted API uses."),
      page: pageAnswer,
    }),
  },
  async ({ repo, status, page_query: { page_size: size, page_token: token } }, { knownTests }) => {
    const list = { kind: "unhealthy", status: status ? upper[status] : null } as const;
    return presented(await knownTests.page({ repo, list, size, token }), (page) => {
      const tests = page.rows.map((test) => presentFound(test, repo, knownTests.addresses));
      return { unhealthy_tests: tests, tests, page: presentPage(page) };
    });
  },
);
