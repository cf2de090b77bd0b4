import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { eventually } from "../scenarios/eventually.ts";
import { MovedClock } from "../scenarios/moved-clock.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";

const stages: Stage[] = [];
let open: Stage;
let closed: Stage;

beforeAll(async () => {
  for (const dashboard of ["public", "token"])
    stages.push(await Stage.open({ queue: {}, environment: { TRAINYARD_DASHBOARD: dashboard } }));
  [open, closed] = stages as [Stage, Stage];
});
afterAll(async () => {
  for (const stage of stages) await stage.close();
});

async function signIn(
  stage: Stage,
  scopes: Parameters<Stage["issueToken"]>[0]["scopes"],
  organisation = "acme",
) {
  const token = await stage.issueToken({ organisation, scopes });
  const body = new URLSearchParams({ token });
  const headers = { origin: stage.url };
  const answer = await fetch(`${stage.url}/login`, { method: "POST", body, headers, redirect: "manual" });
  return { cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

const doctorOf = (stage: Stage) => `${stage.pageUrl}/doctor`;

test.each(["public", "token"])(
  "on a %s dashboard, the doctor's page shows an administrator the findings and their fixes",
  async (dashboard) => {
    const stage = dashboard === "public" ? open : closed;
    stage.sandbox.setRulesets("acme/widgets", [{ name: "<b>locked</b>", rules: ["update"] }]);
    const headers = await signIn(stage, ["read", "queue:admin"]);
    const answer = await fetch(doctorOf(stage), { headers });
    expect(answer.status).toBe(200);
    const page = await answer.text();
    expect(page).not.toContain("<b>locked");
    expect(page).toMatch(/<a href="http:[^"]+\/rules\/\d+" rel="noreferrer">/);
    expect(textOf(page)).toMatch(
      /Errors \d.*UPDATES_RESTRICTED GitHub refuses every merge of the App\. update in "<b>locked<\/b>" .* Open the page/,
    );
    const overview = await (await fetch(stage.url, { headers })).text();
    expect(textOf(overview)).toMatch(
      /Needs a person 1 \d errors? acme\/widgets main A rule does not allow the App to change the branch\. Doctor looked \d+ s ago/,
    );
    const app = textOf(await (await fetch(`${stage.url}/app`, { headers })).text());
    expect(app).toMatch(
      /GitHub App [\w-]+ id \d+ Settings on GitHub .*contents write write granted .*Events \d+/,
    );
    expect(app).toMatch(/Doctor .* acme\/widgets main 1 error, .* examine \d+ s ago/);
    const reader = await fetch(`${stage.url}/app`, { headers: await signIn(stage, ["read"]) });
    const visitors =
      dashboard === "public" ? [{}, await signIn(stage, ["read"])] : [await signIn(stage, ["read"])];
    for (const headers of visitors) {
      const seen = textOf(await (await fetch(stage.url, { headers })).text());
      expect(seen).toContain("acme/widgets main");
      expect(seen).not.toMatch(/\d errors?|does not allow the App/);
    }
    expect([reader.status, (await fetch(`${stage.url}/app`)).status]).toEqual([404, 401]);
    expect(textOf(page)).toMatch(/Not examined .*WEBHOOK_ADDRESS_DIFFERS TRAINYARD_PUBLIC_URL is not set/);
  },
);

test("the queue page links to the doctor's page", async () => {
  const page = await (await fetch(open.pageUrl)).text();
  expect(page).toContain(`<a href="${new URL(doctorOf(open)).pathname}">doctor</a>`);
});

test("the doctor's page makes no call to GitHub for a visitor without the required scopes", async () => {
  const reader = await signIn(closed, ["read"]);
  // Only doctor makes these; the service also makes others from time to time.
  const calls = () =>
    stages.map(({ sandbox }) => sandbox.requests.countByOperation()["apps/list-webhook-deliveries"] ?? 0);
  await (await fetch(doctorOf(closed), { headers: await signIn(closed, ["read", "queue:admin"]) })).text();
  const before = calls();
  expect(before[1]).toBeGreaterThan(0);
  const asStranger = await fetch(doctorOf(open));
  expect(asStranger.status).toBe(403);
  expect(textOf(await asStranger.text())).toMatch(
    /scopes read and queue:admin.* token create --organisation OWNER --scopes read,queue:admin /,
  );
  expect((await fetch(doctorOf(closed), { headers: reader })).status).toBe(403);
  expect((await fetch(doctorOf(closed))).status).toBe(401);
  const other = await signIn(closed, ["read", "queue:admin"], "other");
  expect((await fetch(doctorOf(closed), { headers: other })).status).toBe(404);
  expect((await fetch(doctorOf(open).replace("main/doctor", "gone/doctor"))).status).toBe(404);
  expect(calls()).toEqual(before);
});

test("what doctor found last is still shown when the service has started again", async () => {
  const headers = await signIn(closed, ["read", "queue:admin"]);
  await (await fetch(doctorOf(closed), { headers })).text();
  const found = async () =>
    /acme\/widgets main (\d errors?, .*) examine \d+ s ago/.exec(
      textOf(await (await fetch(`${closed.url}/app`, { headers })).text()),
    )?.[1];
  const before = await found();
  expect(before).toMatch(/^1 error/);
  await closed.stopService();
  await closed.startService();
  expect(await found()).toBe(before);
  const overview = await (await fetch(closed.url, { headers })).text();
  expect(textOf(overview)).toMatch(/1 error acme\/widgets main .* Doctor looked \d+ s ago/);
});

test("what another version has stored in another form counts as not examined", async () => {
  const headers = await signIn(closed, ["read", "queue:admin"]);
  await (await fetch(doctorOf(closed), { headers })).text();
  const database = new DatabaseSync(closed.databaseUrl.replace("sqlite:", ""));
  const { changes } = database
    .prepare("update cursors set value = ? where name like 'diagnosis/%'")
    .run('{"examinedAt":1,"results":[]}');
  database.close();
  expect(changes).toBe(1);
  const read = async (path: string) => textOf(await (await fetch(closed.url + path, { headers })).text());
  expect(await read("/")).toContain("acme/widgets main");
  expect(await read("/app")).toMatch(/acme\/widgets main not examined yet/);
});

test("a queue is examined once a day without anyone asking, and what GitHub does not tell stays as it was", async () => {
  const clock = new MovedClock();
  const stage = await Stage.open({ queue: {}, clock });
  stages.push(stage);
  const restart = async (hours: number) => {
    await stage.stopService();
    clock.pass(hours * 3_600_000);
    await stage.startService();
  };
  const overview = async () => {
    const headers = await signIn(stage, ["read", "queue:admin"]);
    return textOf(await (await fetch(stage.url, { headers })).text());
  };
  const untilSaid = (pattern: RegExp) =>
    eventually(async () => pattern.exec(await overview()), `the overview to say ${pattern}`);
  stage.sandbox.setRulesets("acme/widgets", [{ name: "locked", rules: ["update"] }]);
  await restart(23);
  await stage.sandbox.settled();
  expect(await overview()).not.toContain("Doctor");
  const error = "A rule does not allow the App to change the branch.*Doctor looked";
  await restart(2);
  await untilSaid(new RegExp(`errors acme/widgets main ${error} \\d+ s ago`));
  stage.sandbox.faults.next({
    operation: "repos/get-branch-rules",
    kind: "500",
    side: "before",
    count: 1_000,
  });
  await restart(13);
  await untilSaid(new RegExp(`${error} 13 h ago`));
  await restart(12);
  await untilSaid(new RegExp(`${error} \\d+ s ago`));
});
