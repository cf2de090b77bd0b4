import * as z from "zod";

import { presentPage, presentUnhealthy } from "../present-test.ts";
import { presented } from "../presented.ts";
import { anyCase } from "../schema/any-case.ts";
import { pageAnswer, pageQuery } from "../schema/page-query.ts";
import { unhealthyTest } from "../schema/test-case.ts";
import { testsAddress, testsEndpoint } from "../tests-endpoint.ts";

const upper = { flaky: "FLAKY", broken: "BROKEN" } as const;

export const listUnhealthyTests = testsEndpoint(
  {
    path: "flaky-tests/list-unhealthy-tests",
    summary: "Lists the tests that are flaky or broken, the last one found first.",
    body: testsAddress.extend({
      status: anyCase(["flaky", "broken"]).optional().describe("Only those of this status."),
      page_query: pageQuery,
    }),
    answer: z.object({ unhealthy_tests: z.array(unhealthyTest), page: pageAnswer }),
  },
  async ({ repo, status, page_query: { page_size: size, page_token: token } }, { knownTests }) => {
    const list = { kind: "unhealthy", status: status ? upper[status] : null } as const;
    return presented(await knownTests.page({ repo, list, size, token }), (page) => ({
      unhealthy_tests: page.rows.map(presentUnhealthy),
      page: presentPage(page),
    }));
  },
);
