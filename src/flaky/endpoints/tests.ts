import * as z from "zod";
import { type Call, type Endpoint, presented, repositoryEndpoint } from "../../api/endpoint.ts";
import { repository } from "../../api/schema/addresses.ts";
import { anyCase, time } from "../../api/schema/fields.ts";
import { isSameName } from "../../engine/model/names.ts";
import { type Outcome, refused } from "../../service/runtime/outcome.ts";
import { pageAnswer, pageQuery } from "./page-query.ts";
import {
  foundTest,
  presentDetails,
  presentFound,
  presentPage,
  presentQuarantined,
  quarantinedTest,
  testDetails,
} from "./test-answers.ts";

/** The common fields of the endpoints that read tests: they identify the repository of the tests. */
export const testsAddress = z.strictObject({
  repo: repository.describe("The repository of the tests."),
  org_url_slug: z
    .string()
    .min(1)
    .max(100)
    .describe("The organisation that owns the repository: its login, in any case."),
});

type TestsBody = z.output<typeof testsAddress>;

/**
 * Creates an endpoint that reads the tests of a repository. A repository without uploads has no tests; an unknown one is not
 * found.
 */
export function testsEndpoint<Body extends z.ZodType<TestsBody>, Answer extends z.ZodType>(
  description: {
    readonly path: string;
    readonly summary: string;
    readonly body: Body;
    readonly answer: Answer;
  },
  handle: (body: z.output<Body>, call: Call) => Promise<Outcome<z.output<Answer>>>,
): Endpoint<Body, Answer> {
  return repositoryEndpoint(
    { ...description, scope: "read", accepts: ["person"], kind: "question" },
    async (body, call) => {
      const isOwner = isSameName(body.org_url_slug, body.repo.owner);
      if (!isOwner) return refused({ code: "REPOSITORY_NOT_FOUND" });
      return (await call.testRepositories.check(body.repo)) ?? handle(body, call);
    },
  );
}

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

const longestMs = 7 * 86_400_000;

/** Clients of the hosted API send `start_time` and `end_time`. */
const body = testsAddress
  .extend({
    start: time.optional().describe("Failures at or after this time. Required, by one of its two names."),
    start_time: time.optional().describe("Another name of `start`."),
    end: time
      .optional()
      .describe("Failures before this time; at most 7 days after start. Required, by one of its two names."),
    end_time: time.optional().describe("Another name of `end`."),
    page_query: pageQuery,
  })
  .transform(({ start, start_time, end, end_time, ...rest }, context) => {
    const [from, until] = [start ?? start_time, end ?? end_time];
    const wrong = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (from === undefined) wrong("start", "must be said");
    if (until === undefined) wrong("end", "must be said");
    if (start_time !== undefined && start_time !== from) wrong("start_time", "must be the same as start");
    if (end_time !== undefined && end_time !== until) wrong("end_time", "must be the same as end");
    if (from === undefined || until === undefined) return z.NEVER;
    if (until <= from || until - from > longestMs) wrong("end", "must be after start, by 7 days at most");
    return { ...rest, from, until };
  });

export const listFailingTests = testsEndpoint(
  {
    path: "flaky-tests/list-failing-tests",
    summary:
      "Lists the tests that failed within a span of at most 7 days, the most recently discovered first.",
    body,
    answer: z.object({
      failing_tests: z.array(foundTest),
      tests: z.array(foundTest).describe("The same list under the name that the hosted API uses."),
      page: pageAnswer,
    }),
  },
  async ({ repo, from, until, page_query: { page_size: size, page_token: token } }, { knownTests }) => {
    const list = { kind: "failing", from, until } as const;
    return presented(await knownTests.page({ repo, list, size, token }), (page) => {
      const tests = page.rows.map((test) => presentFound(test, repo, knownTests.addresses));
      return { failing_tests: tests, tests, page: presentPage(page) };
    });
  },
);

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
    presented(await knownTests.details(repo, test_id), (found) => ({
      test: presentDetails(found, knownTests.addresses),
    })),
);
