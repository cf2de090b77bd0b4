import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { openPull } from "../sandbox/commit-on-branch.ts";
import { Fork } from "../sandbox/fork.ts";
import { client, target } from "../sandbox/scene.ts";
import { eventually } from "../scenarios/eventually.ts";
import { type Answer, type Api, startApi } from "./api-harness.ts";

let api: Api;
let asCarol: Octokit;
let asAlice: Octokit;
let carols: Fork;

/** Every run lasts until the sandbox closes. */
const endless = { durationMs: [600_000, 600_000] } as const;

beforeAll(async () => {
  api = await startApi({ ci: endless, trustedProxies: ["loopback"] });
  const { sandbox } = api;
  asAlice = client(sandbox, sandbox.createUser({ login: "alice", permission: "write" }).token);
  asCarol = client(sandbox, sandbox.createUser({ login: "carol", permission: "read" }).token);
  carols = await Fork.of(sandbox, "carol", asCarol);
  await api.post("createQueue", { ...api.queue, mode: "parallel" });
});
afterAll(() => api.close());
const opened: Api[] = [];
/** Starts a separate API for one test. */
async function open(options: Parameters<typeof startApi>[0] = {}): Promise<Api> {
  const own = await startApi(options);
  opened.push(own);
  return own;
}
afterEach(async () => {
  for (const own of opened.splice(0)) await own.close();
});

/** The limits apply to each minute, so each test sends from an address of its own. */
let senders = 0;
beforeEach(() => {
  senders += 1;
});

interface Upload {
  readonly number: number;
  readonly sha: string;
  readonly run: number | string;
}

function upload({ number, sha, run }: Upload, headers: Record<string, string> = {}, more: object = {}) {
  const body = { ...api.queue, pr: { number, sha }, impactedTargets: ["//a"], ...more };
  return api.post("setImpactedTargets", body, {
    "x-api-token": "",
    "x-forked-workflow-run-id": String(run),
    "x-forwarded-for": `192.0.2.${senders}`,
    ...headers,
  });
}

/** Waits until the workflow run of a commit is in progress, and returns its id. */
function runOf(sha: string): Promise<number> {
  return eventually(async () => {
    const known = api.sandbox.workflowRuns("acme/widgets").find((run) => run.headSha === sha);
    if (!known) return null;
    const { data } = await asAlice.rest.actions.getWorkflowRun({ ...target, run_id: known.id });
    return data.status === "in_progress" ? known.id : null;
  }, `a run of ${sha} to be in progress`);
}

async function fromFork(branch: string): Promise<{ number: number; sha: string; run: number }> {
  const { sha, pull } = await carols.openPull(branch);
  return { number: pull.number, sha, run: await runOf(sha) };
}

const codeOf = ({ status, body }: Answer) => ({ status, code: body.code });
const refused = { status: 401, code: "FORK_RUN_NOT_ACCEPTED" };

describe("a workflow of a fork without a token", () => {
  let pull: Upload;
  beforeAll(async () => {
    pull = await fromFork("feature");
  });

  test("uploads the targets of its pull request's head while it runs, and is recorded in the audit log", async () => {
    expect(await upload(pull)).toMatchObject({
      status: 200,
      body: { prNumber: pull.number, prSha: pull.sha, targetsCount: 1 },
    });
    const { body } = await api.post("listAuditLog", { actor: String(pull.run), take: 1 });
    expect(body.entries).toMatchObject([
      {
        action: "setImpactedTargets",
        outcome: "done",
        actor: { kind: "fork_run", id: String(pull.run) },
        prNumber: pull.number,
        address: `192.0.2.${senders}`,
      },
    ]);
  });

  test("is told about unknown fields only after its run was verified", async () => {
    const misspelled = { repo: { ...api.queue.repo, ownr: "acme" } };
    expect(codeOf(await upload({ ...pull, run: 1 }, {}, misspelled))).toEqual(refused);
    expect((await upload(pull, {}, misspelled)).body).toMatchObject({
      code: "INVALID_BODY",
      errors: [{ path: "repo.ownr" }],
    });
  });

  test("is judged by its token alone when it does send one", async () => {
    const other = await openPull(asAlice, "with-token", { "with-token.txt": "1" });
    const claim = { ...other, run: 1 };
    expect(codeOf(await upload(claim, { "x-api-token": "hunter2" })).code).toBe("TOKEN_NOT_VALID");
    const submit = await api.createToken(["submit"]);
    expect((await upload(claim, { "x-api-token": submit })).status).toBe(200);
  });

  test("cannot use any other endpoint", async () => {
    const headers = { "x-api-token": "", "x-forked-workflow-run-id": String(pull.run) };
    const pr = { number: pull.number, sha: pull.sha };
    for (const endpoint of ["submitPullRequest", "cancelPullRequest", "getQueue", "listAuditLog"]) {
      expect(codeOf(await api.post(endpoint, { ...api.queue, pr }, headers)).code).toBe("TOKEN_MISSING");
    }
  });

  describe("with a body above 1 MiB", () => {
    const impactedTargets = Array.from({ length: 100_000 }, (_, index) => `//some/target:${index}`);
    const send = async (
      body: string,
      headers: Record<string, string> = {},
      encode: (text: string) => string | Uint8Array<ArrayBuffer> = (text) => text,
    ) => {
      const response = await fetch(`${api.url}/v1/setImpactedTargets`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-forked-workflow-run-id": String(pull.run),
          "x-forwarded-for": `192.0.2.${senders}`,
          ...headers,
        },
        body: encode(body),
      });
      return { status: response.status, body: (await response.json()) as Answer["body"] };
    };
    const claim = () => ({ ...api.queue, pr: { number: pull.number, sha: pull.sha } });

    test.each([
      ["as it is", {}, (text: string) => text],
      ["compressed", { "content-encoding": "gzip" }, (text: string) => gzipSync(text)],
    ])("uploads it %s when the fields before the targets prove its run", async (_how, headers, encode) => {
      const { status, body } = await send(JSON.stringify({ ...claim(), impactedTargets }), headers, encode);
      expect({ status, body }).toMatchObject({ status: 200, body: { targetsCount: 100_000 } });
    });

    test("is rejected with advice when the targets precede the fields that prove its run", async () => {
      const { status, body } = await send(JSON.stringify({ impactedTargets, ...claim() }));
      expect({ status, code: body.code }).toEqual({ status: 413, code: "FORK_BODY_TOO_LARGE" });
      expect(body.detail).toMatch(/before impactedTargets.*impactedTargets: "ALL"/);
    });

    test("is rejected when a later field contradicts the proven run", async () => {
      const text = JSON.stringify({ ...claim(), impactedTargets });
      const other = `${text.slice(0, -1)},"pr":${JSON.stringify({ ...claim().pr, number: 1_000 })}}`;
      const { status, body } = await send(other);
      expect({ status, code: body.code }).toEqual({ status: 401, code: "FORK_RUN_NOT_ACCEPTED" });
    });
  });

  test("is rejected after the first 1 MiB, before it has sent its whole body", async () => {
    const beginning = JSON.stringify({ ...api.queue, pr: { number: pull.number, sha: pull.sha } }).slice(
      0,
      -1,
    );
    const sending = request(`${api.url}/v1/setImpactedTargets`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-forked-workflow-run-id": "4711",
        "x-forwarded-for": `192.0.2.${senders}`,
      },
    });
    sending.write(`${beginning},"impactedTargets":["${"x".repeat(1024 * 1024)}`);
    const [response] = (await once(sending, "response")) as [IncomingMessage];
    expect(response.statusCode).toBe(401);
    sending.on("error", () => {}).destroy();
  });

  test("gets the errors of its body", async () => {
    expect(codeOf(await upload(pull, {}, { pr: { number: "x" } })).code).toBe("INVALID_BODY");
    expect(codeOf(await upload(pull, {}, { impactedTargets: 7 })).code).toBe("INVALID_BODY");
  });
});

describe("a fork's upload is rejected with one and the same response, and the audit log has the reason, for", () => {
  test.each<[what: string, why: string, make: () => Promise<Upload>]>([
    ["a run that does not exist", "RUN_NOT_FOUND", async () => ({ ...(await fromFork("a")), run: 4711 })],
    ["an invalid run id", "RUN_NOT_FOUND", async () => ({ ...(await fromFork("b")), run: "../../users" })],
    [
      "another commit than the run's",
      "RUN_OF_OTHER_HEAD",
      async () => ({ ...(await fromFork("c")), sha: "f".repeat(40) }),
    ],
    [
      "a pull request of the repository's own",
      "RUN_NOT_FOUND",
      async () => {
        const pull = await openPull(asAlice, "own", { "own.txt": "1" });
        return { ...pull, run: await runOf(pull.sha) };
      },
    ],
    [
      "the run of another fork at the same commit",
      "RUN_OF_OTHER_PULL_REQUEST",
      async () => {
        const victim = await openPull(asAlice, "victim", { "victim.txt": "1" });
        const asMallory = client(
          api.sandbox,
          api.sandbox.createUser({ login: "mallory", permission: "read" }).token,
        );
        const mallorys = await Fork.of(api.sandbox, "mallory", asMallory);
        await mallorys.take(api.directory, victim.sha);
        await mallorys.openPull("copy", victim.sha);
        const run = await eventually(async () => {
          const runs = api.sandbox.workflowRuns("acme/widgets");
          const [, copy] = runs.filter(({ headSha }) => headSha === victim.sha);
          if (!copy) return null;
          const { data } = await asAlice.rest.actions.getWorkflowRun({ ...target, run_id: copy.id });
          return data.status === "in_progress" && data.head_repository.owner.login === "mallory"
            ? data.id
            : null;
        }, "mallory's run to be in progress");
        return { ...victim, run };
      },
    ],
    [
      "a pull request that was closed",
      "RUN_OF_OTHER_PULL_REQUEST",
      async () => {
        const pull = await fromFork("d");
        await asCarol.rest.pulls.update({ ...target, pull_number: pull.number, state: "closed" });
        return pull;
      },
    ],
  ])("%s", async (_what, why, make) => {
    const claim = await make();
    const answer = await upload(claim);
    expect(codeOf(answer)).toEqual(refused);
    const elsewhere = await upload(claim, {}, { repo: { ...api.queue.repo, owner: "nobody" } });
    const noQueue = await upload(claim, {}, { targetBranch: "nowhere" });
    const noHost = await upload(claim, {}, { repo: { ...api.queue.repo, host: "gitlab.example" } });
    for (const other of [elsewhere, noQueue, noHost]) {
      expect({ ...other.body, instance: "" }).toEqual({ ...answer.body, instance: "" });
      expect([...other.headers.keys()].sort()).toEqual([...answer.headers.keys()].sort());
    }
    const { body } = await api.post("listAuditLog", { actor: String(claim.run), take: 1 });
    expect(body.entries).toMatchObject([{ outcome: "refused", code: why, actor: { kind: "fork_run" } }]);
  });
});

test("a fork's upload is rejected once its run is over", async () => {
  const over = await open({ ci: { durationMs: [5, 10] } });
  const carol = over.sandbox.createUser({ login: "carol", permission: "read" });
  await over.post("createQueue", over.queue);
  const fork = await Fork.of(over.sandbox, "carol", client(over.sandbox, carol.token));
  const { sha, pull } = await fork.openPull("feature");
  await over.sandbox.settled();
  const [run] = over.sandbox.workflowRuns("acme/widgets");
  const answer = await over.post(
    "setImpactedTargets",
    { ...over.queue, pr: { number: pull.number, sha }, impactedTargets: [] },
    { "x-api-token": "", "x-forked-workflow-run-id": String(run?.id) },
  );
  expect(codeOf(answer)).toEqual(refused);
});

test("a fork's upload is rejected with the same response while GitHub is unreachable, and the log says so", async () => {
  const deaf = await open();
  await deaf.post("createQueue", deaf.queue);
  const send = (owner: string) =>
    deaf.post(
      "setImpactedTargets",
      {
        ...deaf.queue,
        repo: { ...deaf.queue.repo, owner },
        pr: { number: 7, sha: "a".repeat(40) },
        impactedTargets: [],
      },
      { "x-api-token": "", "x-forked-workflow-run-id": "7" },
    );
  await deaf.loseCodeHost();
  const [known, unknown] = [await send("acme"), await send("nobody")];
  expect(codeOf(known)).toEqual(refused);
  expect({ ...known.body, instance: "" }).toEqual({ ...unknown.body, instance: "" });
  expect(deaf.logged.join()).toContain("could not ask the code host about a fork's run");
});

test("a fork's upload is rejected with the same response when the App lacks the permission, and the audit log says so", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-manifest-"));
  const appManifest = join(directory, "app.yml");
  const manifest = await readFile(new URL("../../app.yml", import.meta.url), "utf8");
  await writeFile(appManifest, manifest.replace(/^ {2}actions: .*\n/m, ""));
  const old = await open({ appManifest });
  await old.post("createQueue", old.queue);
  const answer = await old.post(
    "setImpactedTargets",
    { ...old.queue, pr: { number: 7, sha: "a".repeat(40) }, impactedTargets: [] },
    { "x-api-token": "", "x-forked-workflow-run-id": "7" },
  );
  expect(codeOf(answer)).toEqual(refused);
  const { body } = await old.post("listAuditLog", { actor: "7" });
  expect(body.entries).toMatchObject([{ outcome: "refused", code: "CODE_HOST_DENIED" }]);
  await rm(directory, { recursive: true });
});

test("a fork's upload is rejected after the same minimum time, whether or not the repository exists", async () => {
  const slow = await open({ refuseAfterMs: 400 });
  await slow.post("createQueue", slow.queue);
  for (const owner of ["acme", "nobody"]) {
    const began = performance.now();
    const answer = await slow.post(
      "setImpactedTargets",
      {
        ...slow.queue,
        repo: { ...slow.queue.repo, owner },
        pr: { number: 7, sha: "a".repeat(40) },
        impactedTargets: [],
      },
      { "x-api-token": "", "x-forked-workflow-run-id": "7" },
    );
    expect(codeOf(answer)).toEqual(refused);
    expect(performance.now() - began).toBeGreaterThan(390);
  }
});

describe("uploads without a token are limited", () => {
  let limited: Api;
  beforeAll(async () => {
    limited = await startApi({ trustedProxies: ["loopback"] });
    await limited.post("createQueue", limited.queue);
  });
  afterAll(() => limited.close());

  const send = async (from: string, repo: object = {}, headers: object = {}) => {
    const body = { pr: { number: 7, sha: "a".repeat(40) }, impactedTargets: [], targetBranch: "main" };
    const answer = await limited.post(
      "setImpactedTargets",
      { ...body, repo: { ...limited.queue.repo, ...repo } },
      { "x-api-token": "", "x-forked-workflow-run-id": "7", "x-forwarded-for": from, ...headers },
    );
    return answer;
  };

  test("by client address, and by network for IPv6, while requests with a token are still served", async () => {
    for (const from of [() => "192.0.2.1", (index: number) => `2001:db8:1:2:3:4:5:${index + 1}`]) {
      const answers: Answer[] = [];
      for (let index = 0; index < 31; index++) {
        answers.push(await send(from(index), { name: `repository-${index}` }));
      }
      expect(answers.slice(0, 30).every(({ status }) => status === 401)).toBe(true);
      expect(codeOf(answers[30] as Answer)).toEqual({ status: 429, code: "RATE_LIMITED" });
      expect(Number(answers[30]?.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    const token = await limited.createToken(["submit"]);
    expect(codeOf(await send("192.0.2.1", {}, { "x-api-token": token }))).toEqual({
      status: 404,
      code: "PR_NOT_FOUND",
    });
  });

  test("by repository across client addresses, whether or not the repository exists", async () => {
    for (const owner of ["acme", "nobody"]) {
      const answers: Answer[] = [];
      for (let index = 0; index < 21; index++) answers.push(await send(`198.51.100.${index}`, { owner }));
      expect(answers.slice(0, 20).every(({ status }) => status === 401)).toBe(true);
      expect(codeOf(answers[20] as Answer)).toEqual({ status: 429, code: "RATE_LIMITED" });
    }
  });
});
