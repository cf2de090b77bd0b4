import * as z from "zod";

import { presentPage, presentUnhealthy } from "../present-test.ts";
import { presented } from "../presented.ts";
import { pageAnswer, pageQuery } from "../schema/page-query.ts";
import { unhealthyTest } from "../schema/test-case.ts";
import { time } from "../schema/time.ts";
import { testsAddress, testsEndpoint } from "../tests-endpoint.ts";

const longestMs = 7 * 86_400_000;

export const listFailingTests = testsEndpoint(
  {
    path: "flaky-tests/list-failing-tests",
    summary:
      "Lists the tests of which an attempt failed in a span of at most 7 days, the last one known first.",
    body: testsAddress
      .extend({
        start: time.describe("Failures at or after this time."),
        end: time.describe("Failures before this time; at most 7 days after start."),
        page_query: pageQuery,
      })
      .refine(({ start, end }) => end > start && end - start <= longestMs, {
        path: ["end"],
        error: "must be after start, by 7 days at most",
      }),
    answer: z.object({ failing_tests: z.array(unhealthyTest), page: pageAnswer }),
  },
  async ({ repo, start, end, page_query: { page_size: size, page_token: token } }, { knownTests }) => {
    const list = { kind: "failing", from: start, until: end } as const;
    return presented(await knownTests.page({ repo, list, size, token }), (page) => ({
      failing_tests: page.rows.map(presentUnhealthy),
      page: presentPage(page),
    }));
  },
);
