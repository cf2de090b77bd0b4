import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { testPath } from "../../../src/dashboard/paths.ts";
import { type Answer, type Api, startApi } from "../../api/api-harness.ts";

let api: Api;
/** The ids of the flaky tests by their names. */
const ids = new Map<string, string>();
const many = Array.from({ length: 7 }, (_, index) => `flakes ${index + 1}`);

beforeAll(async () => {
  api = await startApi({ logLevel: "silent" });
  await api.sandbox.createRepository({ owner: "acme", name: "gadgets", files: { "a.txt": "" }, ci: null });
  for (const name of many) await showFlake(name);
  await api.service.start();
  await until(async () => (await list({ page_size: 100 })).length === many.length);
});
afterAll(() => api.close());

/** Each test flakes on a separate tree, so that they do not count as one common outage. */
async function showFlake(name: string): Promise<void> {
  const tree = String(many.indexOf(name)).repeat(40);
  for (const [run_attempt, inner] of [
    [1, '<failure message="timeout of 5000 ms"/>'],
    [2, ""],
  ] as const) {
    const { body } = await api.post("uploadTestResults", {
      ...{
        repo: api.queue.repo,
        head_sha: tree,
        tree_sha: tree,
        ...(run_attempt === 1
          ? { branch: "a", kind: "pr" as const, pr: { number: 7 } }
          : { branch: "main", kind: "stable" as const }),
      },
      ...{ run_id: name, run_attempt, job: "test", step_failed: inner !== "" },
      reports: [
        {
          path: "a.xml",
          content: `<testsuite name="s"><testcase name="${name}" time="90">${inner}</testcase></testsuite>`,
        },
      ],
    });
    const [failed] = body.failed as { id: string }[];
    if (failed) ids.set(name, failed.id);
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("waited 180 s in vain");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const about = () => ({ repo: api.queue.repo, org_url_slug: "acme" });
const ask = (endpoint: string, page_query: object, more: object = {}): Promise<Answer> =>
  api.post(endpoint, { ...about(), page_query, ...more });

interface Listed {
  readonly name: string;
  readonly [field: string]: unknown;
}

async function list(page_query: object): Promise<readonly Listed[]> {
  return (await ask("listQuarantinedTests", page_query)).body.quarantined_tests as Listed[];
}

const pageOf = ({ body }: Answer) => body.page as Record<string, string | number>;

describe("a list of tests", () => {
  test("can be paged by its tokens forwards, backwards, and from the last page", async () => {
    const whole = (await list({ page_size: 100 })).map(({ name }) => name);
    expect(whole.toSorted()).toEqual(many);
    const walk = async (from: unknown, by: string) => {
      const pages: string[][] = [];
      for (let page_token = from; pages.length === 0 || page_token !== ""; ) {
        const answer = await ask("listQuarantinedTests", { page_size: 3, page_token });
        expect(answer.status).toBe(200);
        pages.push((answer.body.quarantined_tests as Listed[]).map(({ name }) => name));
        const page_index = by === "next_page_token" ? pages.length - 1 : 3 - pages.length;
        expect(pageOf(answer)).toMatchObject({ total_rows: 7, total_pages: 3, page_index });
        page_token = pageOf(answer)[by];
      }
      return pages;
    };
    const pages = [whole.slice(0, 3), whole.slice(3, 6), whole.slice(6)];
    expect(await walk("", "next_page_token")).toEqual(pages);
    const { last_page_token } = pageOf(await ask("listQuarantinedTests", { page_size: 3 }));
    expect(await walk(last_page_token, "prev_page_token")).toEqual(pages.toReversed());
  });

  test("has the same token of its last page on each of its pages, also if it has only one", async () => {
    for (const page_size of [3, 7, 100]) {
      const first = pageOf(await ask("listQuarantinedTests", { page_size }));
      const page_token = first.last_page_token;
      const last = await ask("listQuarantinedTests", { page_size, page_token });
      const whole = await list({ page_size: 100 });
      expect(last.body.quarantined_tests).toEqual(whole.slice(page_size === 3 ? 6 : 0));
      expect(pageOf(last)).toMatchObject({ next_page_token: "", last_page_token: page_token });
    }
  });

  test("rejects a page token that was altered, or is for another size, list or repository", async () => {
    const { next_page_token } = pageOf(await ask("listQuarantinedTests", { page_size: 3 }));
    const token = String(next_page_token);
    const altered = Array.from(token, (letter, at) =>
      [token.slice(0, at), letter === "A" ? "B" : "A", token.slice(at + 1)].join(""),
    );
    const other = { repo: { ...api.queue.repo, name: "gadgets" } };
    const refusals = await Promise.all([
      ...altered.map((page_token) => ask("listQuarantinedTests", { page_size: 3, page_token })),
      ask("listQuarantinedTests", { page_size: 4, page_token: token }),
      ask("listUnhealthyTests", { page_size: 3, page_token: token }),
      ask("listQuarantinedTests", { page_size: 3, page_token: token }, other),
      ask("listQuarantinedTests", { page_size: 3, page_token: "nonsense" }),
    ]);
    expect(refusals).toHaveLength(68);
    for (const { status, body } of refusals)
      expect([status, body.code]).toEqual([400, "PAGE_TOKEN_NOT_VALID"]);
    const again = await ask("listQuarantinedTests", { page_size: 3, page_token: token });
    expect(again.status).toBe(200);
  });

  test.each([
    ["listQuarantinedTests", () => ({})],
    ["listUnhealthyTests", () => ({})],
    ["listFailingTests", () => ({ start: "2026-03-01T00:00:00Z", end: "2026-03-02T00:00:00Z" })],
    ["getTestDetails", () => ({ page_query: undefined, test_id: ids.get("flakes 3") })],
  ])("of %s responds with 404 when the repository does not exist", async (endpoint, fields) => {
    const repo = { ...api.queue.repo, name: "widgest" };
    const page = fields();
    const { status, body } = await ask(endpoint, { page_size: 1 }, { ...page, repo });
    expect([status, body.code]).toEqual([404, "REPOSITORY_NOT_FOUND"]);
    const elsewhere = { ...api.queue.repo, host: "github.example" };
    const unserved = await ask(endpoint, { page_size: 1 }, { ...page, repo: elsewhere });
    expect([unserved.status, unserved.body.code]).toEqual([404, "HOST_NOT_SERVED"]);
  });

  test("is a single empty page when nothing was uploaded", async () => {
    const other = { repo: { ...api.queue.repo, name: "gadgets" } };
    expect((await ask("listQuarantinedTests", { page_size: 1 }, other)).body).toEqual({
      quarantined_tests: [],
      page: {
        ...{ total_rows: 0, total_pages: 0, page_index: 0 },
        ...{ next_page_token: "", prev_page_token: "", last_page_token: "" },
      },
    });
  });

  test("has the specified fields of each test", async () => {
    const [quarantined] = await list({ page_size: 1 });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(quarantined).toEqual({
      ...{ name: expect.any(String), parent: "s", file: null, classname: null, codeowners: [], variant: "" },
      ...{ status: "FLAKY", quarantine_setting: "AUTO_QUARANTINE" },
      ...{ quarantined_at: time, status_last_updated_at: time },
      test_case_id: ids.get(quarantined?.name ?? ""),
    });
    const unhealthy = (await ask("listUnhealthyTests", { page_size: 100 }, { status: "FLAKY" })).body;
    expect((unhealthy.unhealthy_tests as Listed[]).map(({ name }) => name).toSorted()).toEqual(many);
    for (const { status, quarantine_setting } of unhealthy.unhealthy_tests as Listed[])
      expect([status, quarantine_setting]).toMatchObject([{ value: "flaky" }, "AUTO_QUARANTINE"]);
    expect(
      (await ask("listUnhealthyTests", { page_size: 9 }, { status: "broken" })).body.unhealthy_tests,
    ).toEqual([]);
    const span = (from: number, to: number) => ({
      start: new Date(Date.now() + from).toISOString(),
      end: new Date(Date.now() + to).toISOString(),
    });
    const failing = await ask("listFailingTests", { page_size: 100 }, span(-3_600_000, 3_600_000));
    expect((failing.body.failing_tests as Listed[]).map(({ name }) => name)).toEqual(many.toReversed());
    const older = await ask("listFailingTests", { page_size: 100 }, span(-7_200_000, -3_600_000));
    expect(older.body.failing_tests).toEqual([]);
  });

  test("can be read by clients of the hosted API, which use other field names", async () => {
    const whole = { page_size: 100, page_token: "" };
    const seconds = (from: number) => new Date(Date.now() + from).toISOString().replace(/\.\d+Z$/, "Z");
    const span = { start_time: seconds(-3_600_000), end_time: seconds(3_600_000) };
    for (const [endpoint, more] of [
      ["listUnhealthyTests", { status: "FLAKY" }],
      ["listFailingTests", span],
    ] as const) {
      const { status, body } = await ask(endpoint, whole, more);
      expect([endpoint, status]).toEqual([endpoint, 200]);
      const tests = body.tests as Listed[];
      expect(tests.map(({ name }) => name).toSorted()).toEqual(many);
      for (const { id, name, html_url, file_path, quarantined } of tests)
        expect({ id, html_url, file_path, quarantined }).toEqual({
          id: ids.get(name),
          html_url: expect.stringContaining("/acme/"),
          file_path: null,
          quarantined: true,
        });
    }
  });

  test.each([
    ["neither time", {}],
    ["no end", { start_time: "2026-03-01T00:00:00Z" }],
    [
      "two starts",
      { start: "2026-03-01T00:00:00Z", start_time: "2026-03-01T00:00:01Z", end: "2026-03-02T00:00:00Z" },
    ],
    [
      "a span of more than seven days",
      { start_time: "2026-03-01T00:00:00Z", end_time: "2026-03-08T00:00:01Z" },
    ],
  ])("is rejected for %s", async (_what, span) => {
    expect((await ask("listFailingTests", { page_size: 1 }, span)).status).toBe(400);
  });

  test("belongs to the organisation that is named", async () => {
    const wrong = await ask("listQuarantinedTests", { page_size: 1 }, { org_url_slug: "evil" });
    expect([wrong.status, wrong.body.code]).toEqual([404, "REPOSITORY_NOT_FOUND"]);
    expect((await ask("listQuarantinedTests", { page_size: 1 }, { org_url_slug: "ACME" })).status).toBe(200);
  });
});

describe("the details of a test", () => {
  const read = (test_id: unknown) => api.post("getTestDetails", { ...about(), test_id });

  test("have its status and reason, its failure rates as fractions, and its most frequent failures", async () => {
    const id = ids.get("flakes 3");
    const { body } = await read(id?.toUpperCase());
    const { repo } = api.queue;
    expect(body.test).toEqual({
      ...{
        id,
        name: "flakes 3",
        renamed_from: null,
        variant: "",
        parent: "s",
        classname: null,
        file_path: null,
        codeowners: [],
      },
      repository: { html_url: `http://${repo.host}/acme/widgets` },
      html_url: `http://localhost:3000${testPath(repo, id ?? "")}`,
      status: {
        ...{ value: "flaky", code: "FLIPPED_ON_ONE_TREE", timestamp: expect.any(String) },
        reason: "Passed and failed on the same tree 2222222 (1 episode)",
      },
      most_common_failures: [
        {
          summary: expect.stringMatching(/^timeout of /),
          occurrence_count: 1,
          last_occurrence: expect.any(String),
        },
      ],
      // It was not quarantined when it failed.
      ...{
        failure_rate_last_7d: 0.5,
        failure_rate_last_24h: 0.5,
        pull_requests_impacted_last_7d: 1,
        cost_last_7d: {
          held_up_minutes: expect.any(Number),
          queue_ci_minutes: null,
          outside_test_minutes: 1.5,
        },
        quarantined: true,
      },
    });
  });

  test("respond with 404 for an unknown id, and for its own id in another repository", async () => {
    const none = await read("00000000-0000-5000-8000-000000000000");
    expect([none.status, none.body.code]).toEqual([404, "TEST_NOT_FOUND"]);
    const other = { ...about(), repo: { ...api.queue.repo, name: "gadgets" } };
    const elsewhere = await api.post("getTestDetails", { ...other, test_id: ids.get("flakes 3") });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, "TEST_NOT_FOUND"]);
  });
});
