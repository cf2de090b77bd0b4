import { createHash, createHmac, randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Post } from "./send-posts.ts";

const mebibyte = 1024 * 1024;
const apiLimit = 20 * mebibyte;
const webhookLimit = 25 * mebibyte;
/** Room for the parts of a body around its filling. */
const aroundBytes = 1_000;

/** The service under attack, and the sender of the bodies. */
export interface Victim {
  readonly token: string;
  readonly queue: { readonly repo: object; readonly targetBranch: string };
  readonly webhookSecret: string;
  /** The head of #1. */
  readonly headSha: string;
}

/** Bodies that try to keep the service from serving others, by name. All bodies of one name are sent at the same time. */
export const hostileBodies: Readonly<Record<string, (victim: Victim) => readonly Post[]>> = {
  "one-byte-targets": (victim) => [targetUpload(victim, listOf('"a"'))],
  "escaped-targets": (victim) => [targetUpload(victim, listOf('"\\u0061","a"'))],
  "distinct-targets": (victim) => [targetUpload(victim, list(numbered((name) => `"${name}"`)))],
  "wrong-targets": (victim) => [targetUpload(victim, listOf("1"))],
  "eight-target-lists": (victim) => Array(8).fill(targetUpload(victim, list(numbered(longName)))),
  nested: (victim) => Array(8).fill(question(victim, nested)),
  "empty-objects": (victim) => Array(8).fill(question(victim, listOf("{}"))),
  "different-objects": (victim) => [question(victim, list(numbered((name) => `{"${name}":1}`)))],
  "many-fields": (victim) => [question(victim, `{${[...numbered((name) => `"${name}":1`)].join(",")}}`)],
  "many-tests": (victim) => [quarantineQuestion(victim)],
  "tiny-tests": (victim) => [tinyTests(victim, {})],
  "unknown-fields": (victim) => [tinyTests(victim, { a: 1, b: 1 })],
  "many-quarantines": (victim) => [quarantineImport(victim, 10_000, "test")],
  "long-quarantines": (victim) => [quarantineImport(victim, 1_000, "long ".repeat(3_900))],
  "wide-quarantines": (victim) => [quarantineImport(victim, 340, wideName)],
  "wide-report": (victim) => [report(victim, 800, (at) => `<testcase name="${wideName}${at}"/>`)],
  "failing-report": (victim) => [
    report(victim, 200_000, (at) => `<testcase name="${at}"><failure message="${at}"/></testcase>`),
  ],
  bombs: (victim) => Array(8).fill(bomb(victim)),
  "unsigned-webhooks": () => Array(80).fill(webhook(null)),
  "wrongly-signed-webhooks": () => Array(80).fill(webhook("not the secret")),
  "signed-webhooks": ({ webhookSecret }) => Array(4).fill(webhook(webhookSecret)),
  "new-tests": (victim) => [report(victim, 200_000, (at) => `<testcase name="test ${at}"/>`)],
};

/** An upload of a list of targets. The list is already JSON. */
export function targetUpload(
  { queue, token, headSha }: Pick<Victim, "queue" | "token" | "headSha">,
  impactedTargets: string,
): Post {
  const head = JSON.stringify({ ...queue, pr: { number: 1, sha: headSha } });
  return post("setImpactedTargets", token, `${head.slice(0, -1)},"impactedTargets":${impactedTargets}}`);
}

/** A question with a field that accepts any value. The value is already JSON. */
function question({ queue, token }: Victim, value: string): Post {
  const asked = JSON.stringify({ ...queue, pr: { number: 1 } });
  return post("getSubmittedPullRequest", token, `${asked.slice(0, -1)},"includeTimeline":${value}}`);
}

/** A question which of 80,000 tests are quarantined. */
function quarantineQuestion({ queue, token }: Victim): Post {
  const testIdentifiers = Array.from({ length: 80_000 }, (_, index) => ({
    ...{ id: `test-${index}`, name: `test ${index}` },
    ...{ parentName: "suite", className: "class", file: "some/file.ts" },
  }));
  return post("metrics/getQuarantineConfig", token, JSON.stringify({ repo: queue.repo, testIdentifiers }));
}

/** The same with 200,000 tests, the maximum of an upload, each as short as possible. */
function tinyTests({ queue, token }: Victim, more: object): Post {
  const testIdentifiers = Array.from({ length: 200_000 }, (_, index) => ({
    id: `${index}`,
    name: "",
    ...more,
  }));
  return post("metrics/getQuarantineConfig", token, JSON.stringify({ repo: queue.repo, testIdentifiers }));
}

/** An upload of a report. Each call makes a different one. */
function report({ queue, token }: Victim, cases: number, render: (at: number) => string): Post {
  const made = Array.from({ length: cases }, (_, at) => render(at));
  const xml = `<testsuite name="${randomUUID()}">${made.join("")}</testsuite>`;
  const body = {
    ...{
      repo: queue.repo,
      head_sha: "a".repeat(40),
      tree_sha: "b".repeat(40),
      branch: "main",
      kind: "stable",
    },
    ...{ run_id: "1", job: "test", step_failed: true },
    reports: [{ path: "junit.xml", encoding: "gzip", content: gzipSync(xml).toString("base64") }],
  };
  return post("flaky-tests/upload-results", token, JSON.stringify(body));
}

const wideName = "界".repeat(19_900);

/** An import of `count` quarantines. Each call names the same tests. */
function quarantineImport({ queue, token }: Victim, count: number, name: string): Post {
  const quarantines = Array.from({ length: count }, (_, index) => ({
    ...{ test_case_id: testId(`${name} ${index}`) },
    ...{ name: `${name} ${index}`, parent: "suite", file: "some/file.ts", classname: "class", variant: "" },
    ...{ quarantine_setting: "ALWAYS_QUARANTINE", reason: `flaky since ${Date.now()}`, owner: "@acme/all" },
    ...{ ticket_url: `https://tickets.example/${index}` },
  }));
  return post("flaky-tests/import-quarantines", token, JSON.stringify({ repo: queue.repo, quarantines }));
}

/** Returns ids that are spread over the index, like those of real tests. */
function testId(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function post(endpoint: string, token: string, body: string): Post {
  const headers = { "content-type": "application/json", "x-api-token": token };
  return { path: `/v1/${endpoint}`, headers, body: Buffer.from(body) };
}

/** 1 GiB of zeros. */
function bomb({ token }: Victim): Post {
  const body = Buffer.concat(Array(64).fill(gzipSync(Buffer.alloc(16 * mebibyte))));
  const headers = { "content-type": "application/json", "content-encoding": "gzip", "x-api-token": token };
  return { path: "/v1/getQueue", headers, body };
}

function webhook(secret: string | null): Post {
  const commit = JSON.stringify({ id: "a".repeat(40), added: ["some/file.ts"], modified: [], removed: [] });
  const commits = Array(Math.floor((webhookLimit - aroundBytes) / (commit.length + 1))).fill(commit);
  const repository = { name: "widgets", full_name: "acme/widgets", owner: { login: "acme" } };
  const push = JSON.stringify({ ref: "refs/heads/elsewhere", after: "a".repeat(40), repository });
  const body = Buffer.from(`${push.slice(0, -1)},"commits":[${commits.join(",")}]}`);
  const signature = secret && `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-github-delivery": randomUUID(),
    ...(signature ? { "x-hub-signature-256": signature } : {}),
  };
  return { path: "/api/github/webhooks", headers, body };
}

const half = 10 * mebibyte - aroundBytes;
const nested = "[".repeat(half) + "]".repeat(half);

const list = (items: Iterable<string>) => `[${[...items].join(",")}]`;

/** Returns a list with as many copies of an item as fit into a body. */
function listOf(item: string): string {
  return list(Array(Math.floor((apiLimit - aroundBytes) / (item.length + 1))).fill(item));
}

/** Yields as many different items as fit into a body. */
function* numbered(render: (name: string) => string): Generator<string> {
  let left = apiLimit - aroundBytes;
  for (let at = 0; ; at++) {
    const item = render(at.toString(36));
    left -= item.length + 1;
    if (left < 0) return;
    yield item;
  }
}

function longName(name: string): string {
  return `"//services/payments/internal/ledger:target_${name}"`;
}
