import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { queuePath } from "../../src/dashboard/paths.ts";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { EventStream } from "./event-stream.ts";
import { textOf } from "./page-text.ts";

let stage: Stage;
/** The page of a queue of the same repository that is not public, and that of a queue that does not exist. */
let privatePage: string;
let absentPage: string;
let pr: number;

beforeAll(async () => {
  stage = await Stage.open({
    queue: { state: "paused", publicPage: true },
    environment: { TRAINYARD_DASHBOARD: "token" },
  });
  const pageOf = (branch: string) => stage.url + queuePath({ repo: stage.queue.repo, branch });
  [privatePage, absentPage] = [pageOf("next"), pageOf("nosuch")];
  // Its head is the branch of the other queue.
  await stage.openPullRequest("next");
  await stage.client.createQueue({ ...stage.queue, targetBranch: "next", requiredStatuses: ["build"] });
  pr = await stage.openPullRequest("topic");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
});

afterAll(() => stage.close());

const read = async (url: string, cookie = "") => {
  const answer = await fetch(url, { headers: { cookie } });
  return { status: answer.status, page: await answer.text() };
};

async function signIn(organisation: string): Promise<string> {
  const token = await stage.issueToken({ organisation, scopes: ["read"] });
  const body = new URLSearchParams({ token });
  const answer = await fetch(`${stage.url}/login`, { method: "POST", body, redirect: "manual" });
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

test("if the set-up allows public pages, the page of a queue is public as long as its repository is, unless its setting says otherwise", async () => {
  const agreed = await Stage.open({
    queue: { state: "paused" },
    environment: { TRAINYARD_DASHBOARD: "token", TRAINYARD_PUBLIC_PAGES: "true" },
  });
  try {
    /** The service looks when a webhook is about the repository, or every few minutes. */
    const setPublic = async (isPublic: boolean) => {
      agreed.sandbox.setPublic("acme/widgets", isPublic);
      await agreed.sandbox.archive("acme/widgets");
      await agreed.sandbox.unarchive("acme/widgets");
    };
    const becomes = (status: number) =>
      eventually(async () => (await read(agreed.pageUrl)).status === status || null, `the status ${status}`);
    expect((await read(agreed.pageUrl)).status).toBe(401);
    await setPublic(true);
    await becomes(200);
    expect(await agreed.client.getQueue(agreed.queue)).toMatchObject({ publicPage: true });
    await agreed.client.updateQueue({ ...agreed.queue, publicPage: false });
    expect((await read(agreed.pageUrl)).status).toBe(401);
    await agreed.client.updateQueue({ ...agreed.queue, publicPage: true });
    expect((await read(agreed.pageUrl)).status).toBe(200);
    await agreed.openPullRequest("other");
    await agreed.client.createQueue({ ...agreed.queue, targetBranch: "other", requiredStatuses: ["build"] });
    const other = agreed.pageUrl.replace("/main", "/other");
    expect((await read(other)).status).toBe(200);
    await setPublic(false);
    await eventually(async () => (await read(other)).status === 401 || null, "the page to be private");
  } finally {
    await agreed.close();
  }
});

test("a public queue's page shows anyone which pull requests wait and why, and links only to their pages and its history", async () => {
  const { status, page } = await read(stage.pageUrl);
  expect(status).toBe(200);
  expect(textOf(page)).toContain(`#${pr} Add topic`);
  expect(textOf(page)).toContain("the queue is paused");
  const [, main = ""] = page.split("<main");
  const links = [...main.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href);
  const own = [...new Set(links.filter((href) => !href.startsWith("http")))];
  const { pathname } = new URL(stage.pageUrl);
  expect(own).toEqual(["/", `${pathname}/pulls/${pr}`, `${pathname}/history`]);
  expect(main).not.toMatch(/<form|<button|<input/);
});

test("a public queue's page follows the queue for anyone, until it is private again", async () => {
  const events = await EventStream.open(`${stage.pageUrl}/live`);
  try {
    expect(await events.next()).toContain("Add topic");
    await stage.client.updateQueue({
      ...stage.queue,
      state: "paused",
      reason: "made private",
      publicPage: false,
    });
    expect(await events.nextWith(/made private/)).toBeNull();
    expect((await read(stage.pageUrl)).status).toBe(401);
  } finally {
    events.close();
    await stage.client.updateQueue({ ...stage.queue, publicPage: true });
  }
});

test("a queue is private by default, and looks to anyone like a queue that does not exist", async () => {
  const answers = await Promise.all([privatePage, absentPage].map((url) => read(url)));
  const shown = answers.map(({ status, page }) => [
    status,
    page.replaceAll(/(next" type="hidden" value=|next=)[^>]*>/g, ""),
  ]);
  expect(shown[0]).toEqual(shown[1]);
  expect(shown[0]?.[0]).toBe(401);
  for (const url of [privatePage, absentPage]) expect((await read(`${url}/live`)).status).toBe(404);
});

test("only the page and the history of the queue are public: not the list of queues, the search, the doctor or the tests", async () => {
  const { host, owner, name } = stage.queue.repo;
  const tests = `${stage.url}/tests/${host}/${owner}/${name}`;
  for (const url of [
    stage.url,
    `${stage.url}/search?q=topic`,
    `${stage.pageUrl}/doctor`,
    tests,
    `${tests}/x`,
  ]) {
    const { status, page } = await read(url);
    expect({ url, status }).toEqual({ url, status: 401 });
    expect(page).not.toContain("Add topic");
  }
});

test("a public page permits no call of the API", async () => {
  for (const call of ["getQueue", "updateQueue", "submitPullRequest", "cancelPullRequest", "listAuditLog"]) {
    const answer = await fetch(`${stage.url}/v1/${call}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...stage.queue, pr: { number: pr }, state: "running" }),
    });
    expect({ call, status: answer.status }).toEqual({ call, status: 401 });
  }
  for (const method of ["POST", "PUT", "DELETE"])
    expect((await fetch(stage.pageUrl, { method })).status).toBe(405);
  expect((await stage.client.getQueue(stage.queue)).state).toBe("paused");
});

test("a token of another organisation sees a public queue as anyone does, and nothing of other queues", async () => {
  const cookie = await signIn("globex");
  const { status, page } = await read(stage.pageUrl, cookie);
  expect({ status, doctor: page.includes("/doctor") }).toEqual({ status: 200, doctor: false });
  expect((await read(privatePage, cookie)).status).toBe(404);
  expect((await read(stage.url, cookie)).page).not.toContain("widgets");
  const own = await read(stage.pageUrl, await signIn("acme"));
  expect(own.page).toContain("/doctor");
});
