import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pullRequestPath } from "../../src/dashboard/paths.ts";
import { launchBrowser } from "../runner/browser.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Gate } from "../scenarios/gate.ts";
import { at } from "../scenarios/github-users.ts";
import { Stage } from "../scenarios/stage.ts";
import { EventStream } from "./event-stream.ts";
import { textOf } from "./page-text.ts";
import { browserTest } from "./viewers.ts";

const script = "<script>alert(1)</script>";
const planted = `${script} \u202Eevil ${"long".repeat(50)}`;
const publicUrl = "https://queue.example";

let stage: Stage;
/** A pull request that has merged, one that has failed, and one that waits. */
let merged: number;
let failed: number;
let waiting: number;
let member: string;
/** Holds CI until the one that fails is tested on top of the one that merges. */
const gate = new Gate();

beforeAll(async () => {
  stage = await Stage.open({
    queue: { publicPage: true, state: "paused", requiredStatuses: ["build", "test"] },
    ci: { durationMs: [60, 160], pullRequests: false, lastStep: gate.lastStep },
    requiredChecks: null,
    environment: { TRAINYARD_DASHBOARD: "token", TRAINYARD_PUBLIC_URL: publicUrl },
  });
  member = await signIn("acme");
  merged = await stage.openPullRequest("good", { "facts/good.json": '{"sets":["x"]}\n' });
  await stage.comment(merged, "/trainyard merge --priority high");
  await stage.until(merged, "pending");
  const breaking = { "facts/bad.json": '{"forbids":["x"]}\n' };
  failed = await stage.openPullRequest("bad", breaking, { title: planted });
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: failed } });
  await stage.until(failed, "pending");
  await stage.client.updateQueue({ ...stage.queue, state: "running" });
  await stage.until(failed, "testing");
  gate.open();
  await stage.until(merged, "merged");
  await stage.until(failed, "failed");
  await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  waiting = await stage.openPullRequest("waiting");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: waiting } });
  await stage.until(waiting, "pending");
});

afterAll(async () => {
  gate.open();
  await stage.close();
});

async function signIn(organisation: string): Promise<string> {
  const token = await stage.issueToken({ organisation, scopes: ["read"] });
  const body = new URLSearchParams({ token });
  const answer = await fetch(`${stage.url}/login`, { method: "POST", body, redirect: "manual" });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

const pathOf = (pr: number, branch = "main") => pullRequestPath({ repo: stage.queue.repo, branch }, pr);

async function read(path: string, cookie = member) {
  const answer = await fetch(stage.url + path, { headers: { cookie } });
  // The sign-in form repeats the path.
  const page = (await answer.text()).replace(/<input name="next"[^>]*>/, "");
  return { status: answer.status, page, text: textOf(page) };
}

test("the page of a merged pull request tells its story, and proves that the tested tree merged", async () => {
  const { page, text } = await read(pathOf(merged));
  const { merge_commit_sha: sha, html_url: url } = await stage.pull(merged);
  expect(text).toMatch(
    new RegExp(`#${merged} Add good merged \\d+ (s|min) ago by alice head \\w{7} priority high`),
  );
  expect(page).toContain(`<a href="${url}" rel="noreferrer">pull request on GitHub</a>`);
  const tree =
    /Proof It is exactly the tree that passed\. Tested commit \w{7} with the tree (\w{7}) Merged commit \w{7} with the tree (\w{7})/;
  const [, testedTree, mergedTree] = tree.exec(text) ?? [];
  expect(testedTree).toMatch(/^\w{7}$/);
  expect(testedTree).toBe(mergedTree);
  expect(page).toContain(url.replace(/\/pull\/.*/, `/commit/${sha}`));
  expect(text).toMatch(
    /Test runs 1 passed on main .*base \w{7} tested commit \w{7} passed build .* passed test/,
  );
  expect(text).toMatch(
    /Timeline .*Submitted by @alice at \w{7}, priority high\. .*A test run starts on main .*Its merge is ordered\. .*Merged as \w{7}\.$/,
  );
});

test("the page of a failed pull request links the failed check, and says what failed and what to do", async () => {
  const { page } = await read(pathOf(failed));
  const [, run = "", sha = ""] =
    /id="run-([^"]+)"[\s\S]*?\/commit\/\w+"[\s\S]*?\/commit\/(\w{40})"/.exec(page) ?? [];
  const { data } = await stage
    .octokit("alice")
    .rest.checks.listForRef({ ...at, ref: sha, check_name: "test" });
  const address = data.check_runs[0]?.html_url ?? data.check_runs[0]?.details_url;
  await stage.client.uploadTestResults({
    ...{ repo: stage.queue.repo, head_sha: sha, tree_sha: "b".repeat(40), branch: "trainyard-merge/x" },
    ...{ kind: "queue", run_id: run, run_attempt: 1, job: "test", step_failed: true },
    reports: [
      {
        path: "a.xml",
        content: `<testsuite><testcase name="turns &lt;b&gt;"><failure message="no"/></testcase></testsuite>`,
      },
    ],
  });
  const shown = await read(pathOf(failed));
  expect(shown.page).toContain(`<a href="${address}" rel="noreferrer"><bdi>test</bdi></a>`);
  expect(shown.text).toMatch(
    /Why it left the queue .*CHECKS_FAILED failure test Failed tests turns <b> test, attempt 1 What to do: .*push a fix\. Then comment \/trainyard merge to queue it again\./,
  );
  expect(shown.text).toMatch(
    /failed on main .* Required check failed: test\. failed test .* Failed tests turns <b> test, attempt 1/,
  );
  const links = /<h3>.*on top of <a href="(.*?)">/.exec(shown.page) ?? [];
  expect(new URL(links[1] ?? "", stage.url + pathOf(failed)).pathname).toBe(pathOf(merged));
  // Names of tests are shown to those who may read the repository.
  expect((await read(pathOf(failed), "")).text).not.toContain("turns");
});

test("the page of a waiting pull request shows the chain of causes, and follows the queue", async () => {
  const events = await EventStream.open(`${stage.url}${pathOf(waiting)}/live`, { cookie: member });
  try {
    const { text } = await read(pathOf(waiting));
    expect(text).toMatch(
      /pending for \d+ (s|min) place 1 in the queue .*The queue is paused\..*Why it has not merged yet The queue is paused\. .* for \d+ (s|min)/,
    );
    expect(text).toContain("It has not been tested in this queue yet.");
    await stage.client.updateQueue({ ...stage.queue, state: "draining" });
    expect(await events.nextWith(/The queue is draining/)).not.toBeNull();
  } finally {
    events.close();
    await stage.client.updateQueue({ ...stage.queue, state: "paused" });
  }
});

test("the timeline says what stopped the queue while the pull request was queued, by whom and why", async () => {
  // It was submitted to a paused queue, which was paused again after its end.
  const [, before, after] =
    /Timeline(.*)Submitted by @alice(.*)$/.exec((await read(pathOf(merged))).text) ?? [];
  expect(before).toMatch(/^ times in UTC .*\d\d:\d\d:\d\d The queue is paused by tests\. .*$/);
  expect(after).toMatch(/The queue is resumed by tests\. .*A test run starts .* Merged as \w{7}\.$/);
  expect(after?.match(/The queue is/g)).toHaveLength(1);
  const reason = "deploy </li> first";
  await stage.client.updateQueue({ ...stage.queue, state: "draining", reason });
  await stage.client.updateQueue({ ...stage.queue, state: "paused", reason: "CI is down" });
  const { page, text } = await read(pathOf(waiting));
  expect(text).toMatch(
    /Timeline .*The queue is paused by tests\. .*Submitted .*The queue is drained by tests: deploy <\/li> first\. .*The queue is paused by tests: CI is down\. .*now$/,
  );
  expect(text).not.toContain("The queue is resumed");
  expect(page).not.toContain(reason);
});

test("the timeline does not mention what stopped the queue while the pull request was not in it", async () => {
  const number = await stage.openPullRequest("twice");
  const submission = { ...stage.queue, pr: { number } };
  const pause = (reason: string) => stage.client.updateQueue({ ...stage.queue, state: "paused", reason });
  await pause("first");
  await stage.client.submitPullRequest(submission);
  await stage.client.cancelPullRequest(submission);
  await pause("between");
  await pause("last");
  await stage.client.submitPullRequest(submission);
  await stage.client.cancelPullRequest(submission);
  const { text } = await read(pathOf(number));
  expect(text).toMatch(/: first\. .*Submitted .*: last\. .*Submitted/);
  expect(text).not.toContain("between");
});

test("text that others wrote is shown as text", async () => {
  const { page } = await read(pathOf(failed));
  expect(page).not.toContain(script);
  expect(textOf(page)).toContain(script);
});

test("nobody learns from a page whether a queue that they may not see, or a pull request, exists", async () => {
  await stage.client.updateQueue({ ...stage.queue, publicPage: false });
  try {
    const hidden = [pathOf(merged), pathOf(999), pathOf(merged, "nosuch")];
    for (const [cookie, status] of [
      ["", 401],
      [await signIn("globex"), 404],
    ] as const) {
      const answers = await Promise.all(hidden.map((path) => read(path, cookie)));
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
      // The form repeats only the path that the visitor asked for.
      const shown = answers.map(({ page }) => page.replaceAll(/next(=|" type="hidden" value=)[^>]*>/g, ""));
      expect(new Set(shown).size).toBe(1);
      for (const path of hidden) expect((await read(`${path}/live`, cookie)).status).toBe(404);
    }
    const unknown = [999, 0, 1e20].map((pr) => pathOf(pr));
    const missing = await Promise.all([...unknown, pathOf(merged, "nosuch")].map((path) => read(path)));
    expect(missing.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(missing.map(({ page }) => page)).size).toBe(1);
  } finally {
    await stage.client.updateQueue({ ...stage.queue, publicPage: true });
  }
});

test("the check, the comment, the API and the queue page name the page", async () => {
  const path = pathOf(merged);
  const { merged: outcome, url, prSha } = await stage.until(merged, "merged");
  expect(outcome).not.toBeNull();
  expect(url).toBe(publicUrl + path);
  expect((await stage.untilChecked(prSha, "success")).details_url).toBe(publicUrl + path);
  expect(await stage.untilCommented(merged, /Merged/)).toContain(`**[Merged](${publicUrl}${path})** into`);
  expect((await read(new URL(stage.pageUrl).pathname)).page).toContain(
    `<a href="${path}">#${merged} <bdi>Add good</bdi></a>`,
  );
});

browserTest("the page fits small screens without complaints, whatever others wrote", async () => {
  const browser = await launchBrowser();
  try {
    for (const width of [320, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      const problems: string[] = [];
      page.on("console", (message) => problems.push(message.text()));
      page.on("pageerror", ({ message }) => problems.push(message));
      for (const pr of [merged, failed, waiting]) {
        await page.goto(stage.url + pathOf(pr));
        await eventually(async () => ((await page.locator("h1").count()) === 1 ? true : null), "the page");
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
      }
      expect(problems).toEqual([]);
    }
  } finally {
    await browser.close();
  }
});

test("the search says by which run a commit or tree was tested, what it contained, and what merged", async () => {
  const { merge_commit_sha: mergedSha, head } = await stage.pull(merged);
  const { data } = await stage.octokit("alice").rest.git.getCommit({ ...at, commit_sha: mergedSha ?? "" });
  const ask = async (sha: string, cookie = member) => (await read(`/search?q=${sha}`, cookie)).text;
  const tree = await ask(data.tree.sha);
  expect(tree).toMatch(
    new RegExp(
      `Was ${data.tree.sha} tested\\? passed Yes\\. It passed\\. Queue acme/widgets main Test run started .* Tested commit \\w{40} Tested tree ${data.tree.sha} Contained base \\w{7} #${merged} Add good Merged #${merged} as ${mergedSha} ?, exactly the tree that passed`,
    ),
  );
  const [, commit = ""] = /Tested commit (\w{40})/.exec(tree) ?? [];
  expect(await ask(commit.toUpperCase())).toContain(`Was ${commit} tested? passed Yes. It passed.`);
  expect(await ask(mergedSha ?? "")).toMatch(
    /Yes\. It passed\.|It is what #\d+ merged as\. This run proves it\./,
  );
  expect(await ask(head.sha)).toContain(`It is the head of #${merged}.`);
  const candidates = await ask(data.tree.sha.slice(0, 7));
  expect(candidates).toContain("An abbreviation can belong to several: choose the whole SHA.");
  expect(candidates).toContain(`${data.tree.sha} the tree of a test run in acme/widgets main`);
  expect(candidates).not.toContain("It passed.");
  expect(await ask("0".repeat(40))).toContain(
    "No run in the queues that you may see tested a commit or tree",
  );
  expect(await ask(data.tree.sha, await signIn("globex"))).toContain("No run in the queues");
});
