import { randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { FastifyInstance } from "fastify";
import { eventually } from "../scenarios/eventually.ts";
import { Stage } from "../scenarios/stage.ts";
import { textOf } from "./page-text.ts";
import { addPeople, formerOwner, type Role, roles, signInAs, suspended, withdrawn } from "./people.ts";
import { type Form, forms, notPages, pages, queries, refusing } from "./rights.ts";
import type { Browser } from "./signed-in-browser.ts";

let stage: Stage;
let database: DatabaseSync;
let closeGate: () => void;
const routes: string[] = [];
/** What the parts of an address stand for, and what they stand for in that of something that does not exist. */
let names: Readonly<Record<string, string>>;
const noNames = { name: "nothing", organisation: "none" };
/** Only those who may see the repository may read this. */
const secrets = [">acme/widgets<", "Add classified", "flies to the moon", "chat.example"];

const watchRoutes = (message: unknown) => {
  const { fastify } = message as { fastify: FastifyInstance };
  fastify.addHook("onRoute", ({ method, url }) => {
    for (const one of [method].flat()) if (one !== "HEAD") routes.push(`${one} ${url}`);
  });
};

beforeAll(async () => {
  const gate = Promise.withResolvers<void>();
  closeGate = () => gate.resolve();
  const lastStep = async () => {
    await gate.promise;
    return "success" as const;
  };
  subscribe("fastify.initialization", watchRoutes);
  stage = await Stage.open({
    queue: { requiredStatuses: ["build"], policy: "fixed" },
    ci: { checks: ["build"], pullRequests: false, lastStep },
    requiredChecks: null,
    environment: {
      TRAINYARD_DASHBOARD: "token",
      TRAINYARD_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      // What the service finds by itself must not look like a change by a visitor.
      TRAINYARD_RECONCILE_MS: "600000",
    },
  });
  database = new DatabaseSync(stage.databaseUrl.replace("sqlite:", ""), { readOnly: true });
  unsubscribe("fastify.initialization", watchRoutes);
  await addPeople(stage);
  const number = await stage.openPullRequest("classified");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  const events = ["pull_request.merged"] as const;
  const webhook = await stage.client.createWebhook({ url: "https://chat.example/", events: [...events] });
  const { repo } = stage.queue;
  const content = '<testsuite><testcase name="flies to the moon" file="moon.test.ts"/></testsuite>';
  await stage.client.uploadTestResults({
    ...{ repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main", kind: "stable" },
    ...{ run_id: "1", job: "test", step_failed: false, reports: [{ path: "a.xml", content }] },
  });
  names = {
    ...repo,
    branch: "main",
    chart: "slots",
    number: String(number),
    organisation: repo.owner,
    id: webhook.id,
  };
  names = { ...names, testId: await testIdIn(await signInAs(stage, "an administrator")) };
});
afterAll(async () => {
  database.close();
  closeGate();
  await stage.close();
});

async function testIdIn(browser: Browser): Promise<string> {
  const page = await (await browser.open(addressOf("GET /tests/:host/:owner/:name"))).text();
  const [, id = ""] = /href="\/tests\/[^"]*\/([^"/?]+)">flies/.exec(page) ?? [];
  return id;
}

/** The address of what a route is about; by default of something that exists. */
function addressOf(route: string, changes: Readonly<Record<string, string>> = {}): string {
  const ids = route.includes("/tests/") ? { id: names.testId ?? "" } : {};
  const parts: Readonly<Record<string, string>> = { ...names, ...ids, ...changes };
  const [, path = ""] = route.split(" ");
  const filled = path.replaceAll(/:(\w+)/g, (_match, part) =>
    encodeURIComponent(parts[part] ?? `no ${part}`),
  );
  return stage.url + filled + (queries[route] ?? "");
}

/** The whole answer that a visitor of these pages can tell apart from another. */
async function read(browser: Browser, url: string, init: RequestInit = {}) {
  const abort = new AbortController();
  const answer = await browser.open(url, { ...init, signal: abort.signal });
  const isStream = answer.headers.get("content-type") === "text/event-stream";
  const body = isStream ? await firstEvent(answer) : await answer.text();
  abort.abort();
  const own = ["date", "x-request-id"];
  const headers = [...answer.headers].filter(([name]) => !own.includes(name));
  return { status: answer.status, headers, body };
}

async function firstEvent({ body }: Response): Promise<string> {
  const { value } = (await body?.getReader().read()) ?? {};
  return new TextDecoder().decode(value);
}

type Answer = Awaited<ReturnType<typeof read>>;

function isSame(...answers: readonly Answer[]): boolean {
  const renamed = answers.map((answer) =>
    JSON.stringify(answer).replaceAll(noNames.name, "widgets").replaceAll(noNames.organisation, "acme"),
  );
  return new Set(renamed).size === 1;
}

const isSecret = ({ body }: Answer) => secrets.some((secret) => body.includes(secret));

/** What a visitor learns from a page. */
async function outcomeOf(browser: Browser, route: string): Promise<string> {
  const shown = await read(browser, addressOf(route));
  // The other pages list what the visitor may see.
  if (!route.includes(":")) return isSecret(shown) ? "seen" : "hidden";
  const absent = await read(browser, addressOf(route, noNames));
  if (isSame(shown, absent)) return isSecret(shown) ? "leaked" : "hidden";
  if (shown.status === 403 && !isSecret(shown)) return "refused";
  return shown.status === 200 ? "seen" : `${shown.status}`;
}

function postTo(route: string, browser: Browser, fields: Form["fields"], changes = {}, headers = {}) {
  const body = new URLSearchParams({ confirmed: "yes", next: "/docs", ...fields });
  return read(browser, addressOf(route, changes), { method: "POST", body, headers });
}

const standIns = ["another", "from the page", "the newest token", "of the secret"];
let others = 2;

function newestToken(): string {
  const row = database.prepare("select id from tokens order by created_at desc, rowid desc limit 1").get();
  return String(row?.id);
}

/** What the page that confirms a rotation says about the secret. */
function versionOfSecret(): string {
  const row = database.prepare("select previous_until from webhook_endpoints").get();
  return String(row?.previous_until ?? 0);
}

/** What somebody sends who fills in the form on its page. */
async function filledIn(browser: Browser, route: string, { fields }: Form): Promise<Form["fields"]> {
  const page = await (await browser.open(addressOf(route))).text();
  const filled = Object.entries(fields).map(([name, value]) => {
    if (value === "another") others += 1;
    const hidden = new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? "";
    if (value === "the newest token") return [name, newestToken()];
    if (value === "of the secret") return [name, versionOfSecret()];
    return [name, value === "another" ? String(others) : value === "from the page" ? hidden : value];
  });
  return { ...Object.fromEntries(filled), formToken: browser.formToken };
}

/** What becomes of a form. Fails when a refused one changes anything. */
async function verdictOf(browser: Browser, route: string, form: Form): Promise<string> {
  const { done } = form;
  const own = Object.values(form.fields).some((value) => standIns.includes(value))
    ? await filledIn(browser, route, form)
    : { ...form.fields, formToken: browser.formToken };
  const before = await settled();
  const absent = await postTo(route, browser, own, noNames);
  const answer = await postTo(route, browser, own);
  if (answer.status === 200 && answer.body.includes(done)) return "done";
  expect(contents()).toEqual(before);
  expect(isSecret(answer)).toBe(false);
  if (answer.body.includes("FORM_OF_ANOTHER_SITE")) return "not their form";
  if (isSame(answer, absent)) return "hidden";
  return answer.status === 403 ? "refused" : `${answer.status} ${textOf(answer.body)}`;
}

/** What requests write about themselves, what the service and GitHub tell each other meanwhile, and what follows from the rest. */
const bookkeeping =
  /^(audit_log|dashboard_sessions|sqlite_sequence|request_counts|tokens|meters|outbox|publications|inbox|deliveries|cursors|call_limits|health_\w+|past_states|snapshots)$/;

/** The contents of the database. */
function contents(): Readonly<Record<string, unknown>> {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  const kept = tables.map(({ name }) => String(name)).filter((name) => !bookkeeping.test(name));
  return Object.fromEntries(kept.map((name) => [name, database.prepare(`select * from "${name}"`).all()]));
}

const auditLog = () =>
  database.prepare("select content ->> 'outcome' as outcome from audit_log order by id").all();

/** Whether tasks or webhooks are due, or executed. */
const isBusy = (table: "inbox" | "outbox") =>
  database.prepare(`select 1 from ${table} where due_at <= ? or lease_until is not null`).get(Date.now()) !==
  undefined;

/** The contents, once the service has done what it does by itself. */
async function settled(): Promise<Readonly<Record<string, unknown>>> {
  let last = "";
  return eventually(async () => {
    const now = contents();
    const before = last;
    last = JSON.stringify(now);
    return last === before && !isBusy("inbox") && !isBusy("outbox") ? now : null;
  }, "the service to rest");
}

test("every route is listed here with those who may use it", () => {
  const served = routes.filter((route) => !notPages.test(route));
  expect(served.toSorted()).toEqual(Object.keys({ ...pages, ...forms }).toSorted());
});

const mightiest = ["an owner of the organisation", "a token that may do everything"] as const;

test.each(mightiest)(
  "forms of %s that another site sent, or that are of another session, do nothing",
  async (role) => {
    const [browser, other, left] = await Promise.all([1, 2, 3].map(() => signInAs(stage, role)));
    if (!browser || !other || !left) throw new Error("nobody signed in");
    const { formToken } = left;
    await left.post("/logout", {});
    const own = { formToken: browser.formToken };
    const before = await settled();
    for (const [route, some] of Object.entries(forms))
      for (const { fields } of some)
        for (const answer of [
          await postTo(route, browser, fields),
          await postTo(route, browser, { ...fields, formToken: "" }),
          await postTo(route, browser, { ...fields, formToken: other.formToken }),
          await postTo(route, left, { ...fields, formToken }),
          await postTo(route, browser, { ...fields, ...own }, {}, { "sec-fetch-site": "cross-site" }),
          await postTo(route, browser, { ...fields, ...own }, {}, { origin: "https://evil.example" }),
        ])
          expect([route, answer.status, answer.body]).toEqual([
            ...[route, 403, expect.stringContaining("FORM_OF_ANOTHER_SITE")],
          ]);
    expect(await settled()).toEqual(before);
  },
);

async function learntBy(browser: Browser): Promise<Readonly<Record<string, string>>> {
  const seen: Record<string, string> = {};
  for (const route of Object.keys(pages)) seen[route] = await outcomeOf(browser, route);
  return seen;
}

const entriesOf = <T>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));

test.each(roles)("%s sees and changes what GitHub and the scopes of tokens permit", async (role) => {
  if (role === suspended) await suspend();
  const browser = await signInAs(stage, role);
  expect(await learntBy(browser)).toEqual(rightsOf(formerly[role] ?? role));
  const began = auditLog().length;
  /** Those who have tried each of the forms. */
  const people = new Map<string, Browser>();
  for (const [route, some] of Object.entries(forms))
    for (const form of some) {
      if (role !== suspended && form.doneBy.includes("the author")) await untilTesting();
      const recorded = auditLog().length;
      // An attempt reads the role again, so the next one needs somebody else.
      const person = formerly[role] ? await signInAs(stage, role) : browser;
      people.set(route, person);
      const wanted = form.doneBy.includes(role) ? "done" : refusalOf(form, role);
      const found = [route, form.fields.action, await verdictOf(person, route, form)];
      expect(found).toEqual([route, form.fields.action, wanted]);
      const outcomes = auditLog().slice(recorded);
      // Of what is refused repeatedly, the log may keep one entry.
      if (wanted === "refused") expect(auditLog().slice(began)).toContainEqual({ outcome: "refused" });
      if (wanted !== "done") expect(outcomes).not.toContainEqual({ outcome: "done" });
      else if (!form.done.endsWith("NOT_FOUND"))
        // The number of earlier refusals may be recorded meanwhile, a minute after the first of them.
        expect([...found, outcomes]).toEqual([...found, expect.arrayContaining([{ outcome: "done" }])]);
    }
  const [asAdministrator, asOwner] = [
    "POST /queues/:host/:owner/:name/:branch/actions",
    "POST /tokens/:organisation",
  ].map((route) => people.get(route));
  if (role === withdrawn && asAdministrator)
    expect(await learntBy(asAdministrator)).toEqual(entriesOf(pages, () => "hidden"));
  if (role === formerOwner && asOwner) expect(await learntBy(asOwner)).toEqual(rightsOf("an administrator"));
});

/** What those could see who have lost a role a minute ago. */
const formerly: Readonly<Partial<Record<Role, Role>>> = {
  [withdrawn]: "an administrator",
  [formerOwner]: "an owner of the organisation",
};

function rightsOf(role: Role): Readonly<Record<string, string>> {
  const isRefused = (route: string) => refusing.includes(route) && pages["GET /"]?.includes(role);
  return entriesOf(pages, (seenBy, route) =>
    seenBy.includes(role) ? "seen" : isRefused(route) ? "refused" : "hidden",
  );
}

function refusalOf({ refusedTo }: Form, role: Role): string {
  if (role === "nobody") return "not their form";
  return refusedTo.includes(role) ? "refused" : "hidden";
}

/** Suspends the App, and waits until the service has been told. */
async function suspend(): Promise<void> {
  await stage.sandbox.suspend("acme");
  const isTold = () =>
    stage.sandbox.deliveries.some(({ event, action }) => event === "installation" && action === "suspend");
  await eventually(async () => isTold() || null, "the webhook about it");
}

/** Queues the pull request again if somebody has cancelled it. GitHub reports nothing more about its tests when this returns. */
async function untilTesting(): Promise<void> {
  const number = Number(names.number);
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
  await stage.until(number, "testing");
  await eventually(async () => {
    const details = await stage.client.getMergeQueueTestingDetails(stage.queue);
    const [run] = "testRuns" in details ? details.testRuns : [];
    const checks = run?.checkSuites.flatMap(({ checkRuns }) => checkRuns) ?? [];
    return checks.length > 0 || null;
  }, "CI to have begun");
}
