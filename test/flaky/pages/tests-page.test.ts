import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { textOf } from "../../dashboard/page-text.ts";
import { Browser } from "../../dashboard/signed-in-browser.ts";
import { eventually } from "../../scenarios/eventually.ts";
import { Stage } from "../../scenarios/stage.ts";

let stage: Stage;
let list: string;
/** The page before the first report. */
let empty: string;

/**
 * The test that fails at the first attempt of each run, and passes at the second attempt on the same tree.
 */
const failing = [
  "pays by card",
  "pays by card",
  "pays by card",
  "ships abroad",
  "ships abroad",
  "pays <by> cash",
];
const files: Readonly<Record<string, string>> = {
  "pays by card": "src/payments/card.test.ts",
  "pays <by> cash": "src/payments/cash.test.ts",
  "ships abroad": "src/shipping/abroad.test.ts",
  greets: "src/greeting.test.ts",
};

beforeAll(async () => {
  stage = await Stage.open({ queue: {} });
  await stage.pushToMain({
    CODEOWNERS: "/src/payments/ @acme/payments\n/src/shipping/ @acme/shipping @bob\n",
  });
  const { host, owner, name } = stage.queue.repo;
  list = `${stage.url}/tests/${encodeURIComponent(host)}/${owner}/${name}`;
  empty = await pageAt("");
  for (const [run, failed] of failing.entries())
    for (const attempt of [1, 2]) {
      const cases = Object.entries(files).map(([test, file]) => {
        const inner = attempt === 1 && test === failed ? '<failure message="no"/>' : "";
        return `<testcase name="${test.replace("<", "&lt;").replace(">", "&gt;")}" file="${file}">${inner}</testcase>`;
      });
      await stage.client.uploadTestResults({
        ...{ repo: stage.queue.repo, head_sha: "a".repeat(40), tree_sha: String(run).repeat(40) },
        ...{ branch: "main", kind: "stable", run_id: String(run), run_attempt: attempt, job: "test" },
        ...{
          step_failed: attempt === 1,
          reports: [{ path: "a.xml", content: `<testsuite>${cases.join("")}</testsuite>` }],
        },
      });
    }
  await eventually(
    async () => ((await namesAt("?state=flaky")).length === 3 ? true : null),
    "three flaky tests",
  );
});
afterAll(() => stage.close());

const pageAt = async (query: string) => (await fetch(list + query)).text();
const namesAt = async (query: string) =>
  [...(await pageAt(query)).matchAll(/<a class="title" href="\/tests\/[^"?]*">([^<]*)<\/a>/g)].map(
    ([, name = ""]) => textOf(name),
  );

describe("the tests page of a repository", () => {
  test.each([
    ["?state=flaky", ["pays by card", "ships abroad", "pays <by> cash"]],
    ["?state=broken", []],
    ["?state=nonsense", ["pays by card", "ships abroad", "pays <by> cash"]],
    ["?q=PAYS", ["pays by card", "pays <by> cash"]],
    ["?q=shipping/abroad", ["ships abroad"]],
    ["?q=%25", []],
    ["?q=greets", []],
    ["?q=greets&state=any", ["greets"]],
    ["?owner=@ACME/Payments", ["pays by card", "pays <by> cash"]],
    ["?owner=@bob", ["ships abroad"]],
    ["?owner=@bob&q=pays", []],
    ["?owner=@acme", []],
    ["?suite=SRC/payments/", ["pays by card", "pays <by> cash"]],
    ["?suite=pays", []],
    ["?sort=newest", ["pays <by> cash", "ships abroad", "pays by card"]],
    ["?page=2", []],
  ])("for the query %s lists the tests that fail most often first: %j", async (query, names) => {
    expect(await namesAt(query)).toEqual(names);
  });

  test("shows how often each test failed, and links its owners", async () => {
    const page = await pageAt("?q=abroad");
    expect(textOf(page)).toContain(
      "2 Failed runs in each of the last 14 days: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 16.7 % of 12 runs, none the week before",
    );
    expect(page).toContain('href="/tests/');
    expect(page.replaceAll("&#61;", "=")).toContain("?owner=%40acme%2Fshipping");
  });

  test("shows the search terms in its form as text", async () => {
    const page = await pageAt(`?q=${encodeURIComponent('"><script>')}&owner=@bob&state=any`);
    expect(page).not.toContain("<script>");
    expect(page).toContain('value="@bob"');
    expect(page).toMatch(/<option value="any" selected>/);
    expect(textOf(page)).toContain("No test matches.");
  });

  test("has the form above the unfiltered list, too", async () => {
    expect(await pageAt("")).toMatch(/<form class="search" method="get"/);
    expect((await namesAt("")).toSorted()).toEqual(["pays <by> cash", "pays by card", "ships abroad"]);
  });
});

test("a repository without reports is told how to send them, and nothing about figures", () => {
  const text = textOf(empty);
  expect(text).toMatch(/Tests of acme\/widgets 0 .* No test reports have arrived\. Send them with/);
  expect(text).not.toMatch(/Figures are of|so many failures/);
});

test("what fails pull requests comes before what fails more often without failing any", async () => {
  const { repo } = stage.queue;
  await stage.client.updateTestSettings({ repo, quarantining: false });
  const report =
    '<testsuite><testcase name="ships abroad" file="src/shipping/abroad.test.ts" time="90.2"><failure message="no"/></testcase></testsuite>';
  await stage.client.uploadTestResults({
    ...{ repo, head_sha: "b".repeat(40), tree_sha: "b".repeat(40), branch: "feature", pr: { number: 7 } },
    ...{ kind: "pr", run_id: "77", job: "test", step_failed: true },
    reports: [{ path: "a.xml", content: report }],
  });
  const cost = async () => textOf(await pageAt("?q=abroad"));
  await eventually(
    async () => (/flaky 1 – – 3 .* 23.1 % of 13 runs/.test(await cost()) ? true : null),
    "its cost",
  );
  expect((await namesAt("?state=flaky"))[0]).toBe("ships abroad");
  await stage.client.uploadTestResults({
    ...{ repo, head_sha: "b".repeat(40), tree_sha: "b".repeat(40), branch: "feature", pr: { number: 7 } },
    ...{ kind: "pr", run_id: "77", run_attempt: 2, job: "test", step_failed: false },
    reports: [{ path: "a.xml", content: report.replace(/<failure[^>]*>/, "") }],
  });
  await eventually(
    async () =>
      /flaky 1 (< )?\d+ s – tests outside the queue: 1 min 30 s 3 .* 21.4 % of 14 runs/.test(await cost())
        ? true
        : null,
    "the time that it cost",
  );
});

test("an administrator quarantines a test until a day, with a reason; nobody else can", async () => {
  const [, page = ""] = /href="(\/tests\/[^"?]*)">ships abroad</.exec(await pageAt("?q=abroad")) ?? [];
  const until = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const set = { mode: "ALWAYS", until, reason: "the customs API is down" };
  const [alice, admin] = [new Browser(stage), new Browser(stage)];
  await alice.signIn(`${stage.url}/login`, "alice");
  await admin.signIn(`${stage.url}/login`, "admin");
  expect(await (await alice.open(stage.url + page)).text()).not.toContain('/quarantine"');
  expect((await alice.post(`${page}/quarantine`, { ...set, formToken: alice.formToken })).status).toBe(404);
  expect(await (await admin.open(stage.url + page)).text()).toContain('/quarantine"');
  expect((await admin.post(`${page}/quarantine`, { ...set, formToken: alice.formToken })).status).toBe(403);
  const done = await admin.post(`${page}/quarantine`, { ...set, formToken: admin.formToken });
  expect(textOf(await done.text())).toContain(`forgive its failures until the end of ${until}`);
  const { quarantines } = await stage.client.exportQuarantines({ repo: stage.queue.repo });
  expect(quarantines.find(({ name }) => name === "ships abroad")).toMatchObject({
    quarantine_setting: "ALWAYS_QUARANTINE",
    reason: set.reason,
    expires_at: new Date(Date.parse(until) + 86_400_000).toISOString(),
  });
  const { entries } = await stage.client.listAuditLog({ action: "setQuarantine" });
  expect(entries[0]).toMatchObject({
    subject: { kind: "test", name: "ships abroad" },
    changes: expect.arrayContaining([{ field: "reason", from: expect.any(String), to: set.reason }]),
  });
  expect(entries.map(({ outcome, actor, via, reason }) => [outcome, actor.name, via, reason])).toEqual([
    ["done", "admin", "dashboard", set.reason],
    ["refused", "alice", "dashboard", set.reason],
  ]);
});

describe("the page of a test", () => {
  test("shows the test's earlier name as text", async () => {
    const cases = Object.entries(files).map(([name, file]) => {
      const newest = name === "pays <by> cash" ? "pays &lt;by&gt; cash again" : name;
      return `<testcase name="${newest}" file="${file}"/>`;
    });
    await stage.client.uploadTestResults({
      ...{ repo: stage.queue.repo, head_sha: "a".repeat(40), tree_sha: "f".repeat(40), run_id: "renamed" },
      ...{ branch: "main", kind: "stable", job: "test", step_failed: false },
      reports: [{ path: "a.xml", content: `<testsuite>${cases.join("")}</testsuite>` }],
    });
    const page = await eventually(async () => {
      const [, path] =
        /<a class="title" href="(\/tests\/[^"?]*)">[^<]*again<\/a>/.exec(await pageAt("")) ?? [];
      return path === undefined ? null : (await fetch(stage.url + path)).text();
    }, "the new name to be among the flaky tests");
    expect(textOf(page)).toContain("renamed from pays <by> cash");
    expect(page).not.toContain("<by>");
  });
});

describe("tests that fail in the same runs", () => {
  const failure = (run: number) =>
    `<failure message="&lt;b&gt;lost door ${run} after ${run} ms #x1B[31m in /srv/${run}/door.ts ${"y".repeat(10_000)}"/>`;
  let page: string;

  beforeAll(async () => {
    const { repo } = stage.queue;
    for (const run of [901, 902, 903])
      for (const attempt of [1, 2]) {
        const cases = ["opens a door", "closes a door"].map(
          (name) => `<testcase name="${name}">${attempt === 1 ? failure(run) : ""}</testcase>`,
        );
        const tested =
          run === 903
            ? { branch: "trainyard-merge/pr-31/run", kind: "queue" as const }
            : { branch: "main", kind: "stable" as const };
        await stage.client.uploadTestResults({
          ...{
            repo,
            ...tested,
            head_sha: "c".repeat(40),
            tree_sha: String(run).padEnd(40, "0"),
            job: "doors",
          },
          ...{ run_id: String(run), run_attempt: attempt, step_failed: attempt === 1, quarantine: false },
          reports: [{ path: "a.xml", content: `<testsuite>${cases.join("")}</testsuite>` }],
        });
      }
    const path = await eventually(async () => {
      const found = await pageAt("?q=door&state=any");
      return textOf(found).includes("flaky")
        ? /href="(\/tests\/[^"?]*)">opens a door</.exec(found)?.[1]
        : null;
    }, "the doors");
    page = await eventually(async () => {
      const shown = await (await fetch(stage.url + path)).text();
      return shown.includes("and in the queue") ? shown : null;
    }, "the evidence of the last run");
  });

  test("are listed as one cause, with their common cost", async () => {
    const text = textOf(await pageAt("?q=door"));
    expect(text).toMatch(/2 tests fail together .*opens a door.*closes a door.* flaky 1 (< )?\d+ s – 3 /);
    expect(text).toContain("none the week before");
    expect(textOf(page)).toContain("Fails together with 1");
  });

  test("have pages with the evidence, and with their failures by message and the runs of each", () => {
    const text = textOf(page);
    expect(text).toMatch(/passed and failed on the same code \(tree 9010000 \) on main and in the queue/);
    expect(page).toContain(`/acme/widgets/actions/runs/901/attempts/2" rel="noreferrer">run 901, attempt 2<`);
    expect(text).toContain("<b>lost door <n> after <n> in <path> <id> 3 runs first seen");
    expect(page).toMatch(/aria-label="[^"]*: 3 passed, 0 passed when tried again, 3 failed"/);
    expect(text).toMatch(/in the queue for #31/);
    expect(page).toContain(`href="${new URL(list).pathname}/pulls/31">#31</a>`);
    expect(page).not.toContain("<b>lost");
  });
});

test("a pull request that a page of a test names leads to its page, or to GitHub if it was in no queue", async () => {
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
  const found = await fetch(`${list}/pulls/${pr}`);
  expect(found.url).toBe(`${stage.pageUrl}/pulls/${pr}`);
  expect(textOf(await found.text())).toContain("pull request on GitHub");
  const other = await fetch(`${list}/pulls/31`, { redirect: "manual" });
  expect([other.status, other.headers.get("location")]).toEqual([
    302,
    expect.stringMatching(/^http.*\/acme\/widgets\/pull\/31$/),
  ]);
  expect((await fetch(`${list}/pulls/x`)).status).toBe(404);
});

test("the page of a test says that only changes that are not merged have shown that it is flaky", async () => {
  for (const attempt of [1, 2])
    await stage.client.uploadTestResults({
      ...{ repo: stage.queue.repo, head_sha: "d".repeat(40), tree_sha: "d".repeat(40), job: "windows" },
      ...{ branch: "panes", kind: "pr", pr: { number: 8 }, run_id: "8", run_attempt: attempt },
      ...{ step_failed: attempt === 1, quarantine: false },
      reports: [
        {
          path: "a.xml",
          content: `<testsuite><testcase name="cleans a window">${attempt === 1 ? '<failure message="no"/>' : ""}</testcase></testsuite>`,
        },
      ],
    });
  await eventually(async () => {
    const [, path] =
      /href="(\/tests\/[^"?]*)">cleans a window</.exec(await pageAt("?q=window&state=any")) ?? [];
    const text = textOf(await (await fetch(`${stage.url}${path}`)).text());
    return /Evidence against Only changes that are not on main have shown that/.test(text) ? true : null;
  }, "the doubt");
});
