import { randomBytes } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { packTar } from "modern-tar";
import { testIdOf } from "../../../src/flaky/identity.ts";
import { digest } from "../../../src/flaky/service/uploads/upload-tests.ts";
import { type Api, startApi } from "../../api/api-harness.ts";
import { eventually } from "../../scenarios/eventually.ts";

let api: Api;
beforeAll(async () => {
  api = await startApi();
  await api.service.start();
  await api.post("createQueue", api.queue);
});
afterAll(() => api.close());

const report = (...failing: string[]) => {
  const cases = ["spins", "turns"].map(
    (name) =>
      `<testcase name="${name}" classname="widget">${failing.includes(name) ? '<failure message="no"/>' : ""}</testcase>`,
  );
  return `<testsuites><testsuite name="widget" tests="2" failures="${failing.length}">${cases.join("")}</testsuite></testsuites>`;
};

interface Run {
  readonly xml: string;
  /** More fields of meta.json. */
  readonly more?: object;
  readonly envs?: Record<string, string>;
  readonly name?: string;
}

/** Packs a bundle as the uploader does: `meta.json` first, then the reports and other files. */
async function bundleOf({ xml, envs = {}, name = "widgets", more = {} }: Run): Promise<Buffer> {
  const files = [
    { path: "junit/0", original_path: "/builds/widgets/out/junit.xml", original_path_rel: "out/junit.xml" },
  ];
  const internal = [{ path: "internal.bin", original_path: "internal.bin" }];
  const meta = {
    version: "1",
    cli_version: "cargo=0.13.3 git=abc",
    org: "acme",
    repo: {
      repo: { ...api.queue.repo, name },
      repo_head_sha: "c".repeat(40),
      repo_head_branch: "refs/heads/main",
    },
    bundle_upload_id: "b-1",
    tags: [],
    file_sets: [
      { file_set_type: "Junit", files, glob: "out/*.xml" },
      { file_set_type: "Internal", files: internal, glob: "" },
    ],
    envs,
    ...more,
  };
  const entry = (path: string, content: string) => ({
    header: { name: path, size: Buffer.byteLength(content) },
    body: content,
  });
  const tar = await packTar([
    entry("meta.json", JSON.stringify(meta)),
    entry("junit/0", xml),
    entry("internal.bin", "\u0001\u0002"),
    entry("CODEOWNERS", "* @acme/widgets"),
  ]);
  return zstdCompressSync(tar);
}

async function addressFor(): Promise<string> {
  const asked = {
    ...{ repo: api.queue.repo, orgUrlSlug: "acme", clientVersion: "0.13.3", remoteUrls: [] },
    ...{ externalId: null, testCollectionShortId: null },
  };
  const { body } = await api.post("createBundleUpload", asked);
  return String(body.url);
}

async function put(url: string, bundle: Buffer): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { "content-type": "application/octet-stream" };
  const response = await fetch(url, { method: "PUT", headers, body: new Uint8Array(bundle) });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const upload = async (run: Run) => put(await addressFor(), await bundleOf(run));

describe("Trunk's uploader", () => {
  const ofTest = (name: string, variant = "") => {
    const { host, owner, name: repo } = api.queue.repo;
    const scope = { organization: "acme", repository: `${host}/${owner}/${repo}`, variant };
    return testIdOf({ file: null, classname: "widget", parent: "widget", name }, scope, digest);
  };
  const quarantined = async (...ids: { id: string; name: string; variant?: string }[]) => {
    const testIdentifiers = ids.map((one) => ({
      ...{ parentName: "widget", className: "widget", file: null, variant: "" },
      ...one,
      ...{ timestamp_millis: 1_700_000_000_000, is_quarantined: false, failure_message: "no" },
    }));
    const asked = {
      ...{ repo: api.queue.repo, orgUrlSlug: "acme", remoteUrls: [], testIdentifiers },
      testCollectionShortId: "abcd1234",
    };
    return (await api.post("getQuarantineConfig", asked)).body;
  };

  test("uploads a bundle, and later gets the quarantined tests by the ids that it sent", async () => {
    const run = {
      GITHUB_SHA: "d".repeat(40),
      GITHUB_RUN_ID: "1",
      GITHUB_JOB: "unit",
      GITHUB_REF: "refs/heads/main",
    };
    expect(await quarantined({ id: ofTest("turns"), name: "turns" })).toEqual({
      isDisabled: false,
      testIds: [],
    });
    const first = await upload({ xml: report("turns"), envs: run });
    expect(first).toMatchObject({
      status: 200,
      body: {
        is_new: true,
        verdict: "failed",
        reports: [{ path: "out/junit.xml", cases: 2, fault: null }],
        failed: [{ id: ofTest("turns"), name: "turns" }],
      },
    });
    await upload({ xml: report(), envs: { ...run, GITHUB_RUN_ATTEMPT: "2" } });
    const told = await eventually(async () => {
      const answer = await quarantined(
        { id: ofTest("turns"), name: "turns" },
        { id: "of-another-slug", name: "turns" },
        { id: ofTest("spins"), name: "spins" },
      );
      return (answer.testIds as string[]).length > 0 ? answer : null;
    }, "the test to be quarantined");
    expect(told).toEqual({ isDisabled: false, testIds: [ofTest("turns"), "of-another-slug"] });
  });

  test("gets the quarantined tests of a variant with a date, although it sends other ids each day", async () => {
    const [first, second, third] = [28, 29, 30].map((day) => `nightly-2026-11-${day}`);
    const run = { GITHUB_SHA: "d".repeat(40), GITHUB_JOB: "dated", GITHUB_REF: "refs/heads/main" };
    const ran = (xml: string, variant: string | undefined, id: string) =>
      upload({ xml, more: { variant }, envs: { ...run, GITHUB_RUN_ID: id } });
    await ran(report("turns"), first, "11");
    await ran(report(), second, "12");
    const given = { id: ofTest("turns", third), name: "turns", variant: third ?? "" };
    const told = await eventually(async () => {
      const { testIds } = await quarantined(given);
      return (testIds as string[]).length > 0 ? testIds : null;
    }, "the test to be quarantined");
    expect(told).toEqual([given.id]);
  });

  test("does not make a test flaky that failed on one commit and passed on another", async () => {
    const run = { GITHUB_RUN_ID: "2", GITHUB_JOB: "commits", GITHUB_REF: "refs/heads/topic" };
    await upload({ xml: report("spins"), envs: { ...run, GITHUB_SHA: "e".repeat(40) } });
    await upload({ xml: report(), envs: { ...run, GITHUB_SHA: "f".repeat(40) } });
    const { body } = await api.post("uploadTestResults", {
      ...{
        repo: api.queue.repo,
        head_sha: "1".repeat(40),
        tree_sha: "2".repeat(40),
        branch: "b",
        kind: "pr",
      },
      ...{ run_id: "3", job: "commits", step_failed: true },
      reports: [{ path: "a.xml", content: report("spins") }],
    });
    expect(body).toMatchObject({ verdict: "failed" });
  });

  test("may upload the same bundle again after a lost response", async () => {
    const url = await addressFor();
    const bundle = await bundleOf({ xml: report("turns"), envs: { GITHUB_RUN_ID: "4" } });
    expect((await put(url, bundle)).body).toMatchObject({ is_new: true });
    expect((await put(url, bundle)).body).toMatchObject({ is_new: false });
  });
});

describe("the metadata of a bundle", () => {
  const file = (at: number) => ({
    original_path: `/home/runner/work/widgets/widgets/packages/some-package-${at}/out/junit.xml`,
    original_path_rel: `packages/some-package-${at}/out/junit.xml`,
    path: `junit/${at}`,
    ...{ last_modified_epoch_ns: 1_700_000_000_000_000, owners: ["@acme/widgets"], team: null },
  });
  const set = (files: readonly unknown[]) => ({
    ...{ file_set_type: "Junit", files, glob: "**/junit.xml", resolved_status: null },
  });
  const many = <Item>(count: number, make: (at: number) => Item) =>
    Array.from({ length: count }, (_, at) => make(at));
  const refused = { status: 400, body: { code: "BUNDLE_NOT_READABLE" } };

  test("may list thousands of reports, in one file set or in many", async () => {
    const sets = [[set(many(3_500, file))], many(2_000, (at) => set([file(at)]))];
    for (const file_sets of sets)
      expect(await upload({ xml: report(), more: { file_sets } })).toMatchObject({ status: 200 });
  });

  const text = (at: number) => at.toString(36);
  test.each([
    ["reports", { file_sets: [set(many(8_000, file))] }],
    ["empty objects", { padding: many(1_000_000, () => ({})) }],
    ["different objects", { padding: many(300_000, (at) => ({ [text(at)]: 1 })) }],
    ["numbers", { padding: many(2_000_000, () => 1) }],
    ["short strings", { padding: many(500_000, text) }],
    ["fields", Object.fromEntries(many(300_000, (at) => [text(at), 1]))],
    ["invalid file sets", { file_sets: many(1_000_000, () => ({})) }],
    ["invalid files", { file_sets: [set(many(1_000_000, () => 1))] }],
    ["environment variables", { envs: Object.fromEntries(many(200_000, (at) => [text(at), ""])) }],
  ])("is rejected with advice when it contains too many %s", async (_, more) => {
    const answer = await upload({ xml: report(), more });
    expect(answer).toMatchObject(refused);
    expect(answer.body.detail).toContain("Upload the reports in several bundles");
  });

  test.each([
    ["file sets", { file_sets: many(25_000, () => ({})) }],
    ["files", { file_sets: [set(many(100_000, () => 1))] }],
  ])("is rejected when many of its %s are invalid", async (_, more) => {
    const answer = await upload({ xml: report(), more });
    expect(answer).toMatchObject(refused);
    expect(answer.body.detail).toContain("file_sets");
  });
});

describe("a bundle upload", () => {
  const codeOf = ({ status, body }: Awaited<ReturnType<typeof put>>) => `${status} ${String(body.code)}`;

  test("is rejected at an address that was not issued, or is an hour old", async () => {
    const url = await addressFor();
    const bundle = await bundleOf({ xml: report() });
    const elsewhere = url.replace(/[0-9a-f](?=\?)/, (digit) => (digit === "0" ? "1" : "0"));
    for (const wrong of [url.slice(0, -1), url.replace(/key=.*/, ""), elsewhere])
      expect(codeOf(await put(wrong, bundle))).toBe("403 BUNDLE_ADDRESS_NOT_VALID");
    api.elapse(60 * 60_000);
    expect(codeOf(await put(url, bundle))).toBe("403 BUNDLE_ADDRESS_NOT_VALID");
  });

  test("is rejected for another repository than its address", async () => {
    expect(codeOf(await upload({ xml: report(), name: "gadgets" }))).toBe("403 BUNDLE_ADDRESS_NOT_VALID");
  });

  test("is rejected and not stored when it is cut off anywhere, or is not a bundle", async () => {
    const url = await addressFor();
    const bundle = await bundleOf({ xml: report(), envs: { GITHUB_RUN_ID: "cut" } });
    const other = zstdCompressSync(await packTar([{ header: { name: "readme.txt", size: 2 }, body: "hi" }]));
    const pieces = [0, 1, 40, bundle.length >> 1, bundle.length - 1].map((length) =>
      bundle.subarray(0, length),
    );
    for (const wrong of [...pieces, Buffer.from("no zstd"), other])
      expect(codeOf(await put(url, wrong))).toBe("400 BUNDLE_NOT_READABLE");
    expect((await put(url, bundle)).body).toMatchObject({ is_new: true });
  });

  test("gets its rejection although much of the body is still to be sent", async () => {
    const xml = `<!-- ${randomBytes(6_000_000).toString("base64")} -->${report()}`;
    expect(codeOf(await upload({ xml, name: "gadgets" }))).toBe("403 BUNDLE_ADDRESS_NOT_VALID");
    expect(codeOf(await upload({ xml, more: { file_sets: 1 } }))).toBe("400 BUNDLE_NOT_READABLE");
    expect(codeOf(await put(await addressFor(), randomBytes(8_000_000)))).toBe("400 BUNDLE_NOT_READABLE");
  });

  test("is rejected when it decompresses to too many bytes", async () => {
    const url = await addressFor();
    const bomb = zstdCompressSync(Buffer.alloc(310 * 1024 * 1024));
    expect(["413 BODY_TOO_LARGE", "400 BUNDLE_NOT_READABLE"]).toContain(codeOf(await put(url, bomb)));
  });

  test("leaves the secret of its address out of the log", async () => {
    const url = new URL(await addressFor());
    await put(String(url), await bundleOf({ xml: report() }));
    expect(api.logged.join("")).not.toContain(url.searchParams.get("key"));
    expect(api.logged.join("")).toContain("/v1/metrics/bundles/");
  });
});
