import { createHmac, createPublicKey } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { generateKeyPair } from "jose";
import { type Answer, type Api, startApi } from "./api-harness.ts";
import { audience, TokenIssuer } from "./token-issuer.ts";

let issuer: TokenIssuer;
let api: Api;

beforeAll(async () => {
  issuer = await TokenIssuer.start();
  api = await startApi({ workflowTokens: issuer.settings });
  await api.post("createQueue", { ...api.queue, mode: "parallel" });
});
afterAll(async () => {
  await api.close();
  await issuer.close();
});
beforeEach(() => issuer.fail(false));

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const own of opened.splice(0)) await own.close();
});
/** Closes a resource of one test when the test ends. */
function closing<T extends { close(): Promise<void> }>(own: T): T {
  opened.push(own);
  return own;
}

const sha = "a".repeat(40);
const now = () => Math.floor(Date.now() / 1000);

const ask = (endpoint: string, jwt: string, body: object, headers: Record<string, string> = {}) =>
  api.post(
    endpoint,
    { ...api.queue, ...body },
    { "x-api-token": "", authorization: `Bearer ${jwt}`, ...headers },
  );

const upload = (jwt: string, more: object = {}, headers?: Record<string, string>): Promise<Answer> =>
  ask("setImpactedTargets", jwt, { pr: { number: 7, sha }, impactedTargets: ["//a"], ...more }, headers);

const codeOf = ({ status, body }: Answer) => ({ status, code: body.code });

describe("a workflow's token", () => {
  test("uploads the targets of the commit that the workflow runs on", async () => {
    expect(await upload(await issuer.issue())).toMatchObject({
      status: 200,
      body: { prNumber: 7, prSha: sha, targetsCount: 1 },
    });
  });

  test("uploads for the pull request of its test merge, whose commit differs from the head", async () => {
    const jwt = await issuer.issue({
      event_name: "pull_request",
      ref: "refs/pull/7/merge",
      sha: "b".repeat(40),
      head_ref: "feature",
      sub: "repo:acme/widgets:pull_request",
    });
    expect((await upload(jwt)).status).toBe(200);
    expect(codeOf(await upload(jwt, { pr: { number: 77, sha } }))).toEqual({
      status: 403,
      code: "WORKFLOW_OF_OTHER_HEAD",
    });
  });

  test("asks whether any commit of its repository was tested, and of no other", async () => {
    const jwt = await issuer.issue();
    const { status, body } = await ask("proveCommit", jwt, { sha: "b".repeat(40) });
    expect({ status, reason: body.reason }).toEqual({ status: 200, reason: "COMMIT_NOT_FOUND" });
    const elsewhere = { repo: { ...api.queue.repo, name: "gadgets" }, sha };
    expect(codeOf(await ask("proveCommit", jwt, elsewhere))).toEqual({
      status: 404,
      code: "QUEUE_NOT_FOUND",
    });
  });

  test("cannot upload for another commit", async () => {
    const { status, body } = await upload(await issuer.issue({ sha: "b".repeat(40) }));
    expect({ status, code: body.code }).toEqual({ status: 403, code: "WORKFLOW_OF_OTHER_HEAD" });
    expect(body.detail).toContain("on: pull_request");
  });

  test("must name the head, because the present one may be newer than what the workflow looked at", async () => {
    const { status, body } = await upload(await issuer.issue(), { pr: { number: 7 } });
    expect({ status, code: body.code }).toEqual({ status: 403, code: "WORKFLOW_OF_OTHER_HEAD" });
    expect(body.detail).toContain("pr.sha");
  });

  test("submits a pull request, and the audit log names the workflow", async () => {
    const submit = (jwt: string) => ask("submitPullRequest", jwt, { pr: { number: 4711 } });
    expect(codeOf(await submit(await issuer.issue()))).toEqual({ status: 404, code: "PR_NOT_FOUND" });
    const { body } = await api.post("listAuditLog", { actor: "repo:acme/widgets:ref:refs/heads/main" });
    expect(body.entries).toContainEqual(
      expect.objectContaining({
        action: "submitPullRequest",
        outcome: "refused",
        code: "PR_NOT_FOUND",
        prNumber: 4711,
        actor: { kind: "workflow", id: "repo:acme/widgets:ref:refs/heads/main", name: "CI" },
        via: "api",
      }),
    );
  });

  test("allows no other endpoint", async () => {
    const jwt = await issuer.issue();
    for (const endpoint of ["cancelPullRequest", "restartTestsOnPullRequest", "createQueue", "getQueue"]) {
      expect(codeOf(await ask(endpoint, jwt, { pr: { number: 7 } }))).toEqual({
        status: 403,
        code: "API_TOKEN_NEEDED",
      });
    }
  });

  test.each([
    ["of the same organisation", { repository: "acme/gadgets" }],
    ["of another organisation", { repository: "evil/widgets", repository_owner: "evil" }],
    [
      "of an owner whose name begins alike",
      { repository: "acme-evil/widgets", repository_owner: "acme-evil" },
    ],
  ])(
    "of another repository %s gets the same response whether or not the queue exists, and leaves no entry",
    async (_whose, claims) => {
      const jwt = await issuer.issue(claims);
      const present = await upload(jwt);
      const absent = await upload(jwt, { repo: { ...api.queue.repo, name: "no-such" } });
      expect(codeOf(present)).toEqual({ status: 404, code: "QUEUE_NOT_FOUND" });
      expect({ ...present.body, instance: "" }).toEqual({ ...absent.body, instance: "" });
      const owner = String(claims.repository).split("/")[0] ?? "";
      const theirs = await api.createToken(["admin"], { organisation: owner });
      const { body } = await api.post("listAuditLog", {}, { "x-api-token": theirs });
      const ofWorkflows = (body.entries as { actor: { kind: string }; code: unknown }[]).filter(
        ({ actor, code }) => actor.kind === "workflow" && code === "QUEUE_NOT_FOUND",
      );
      expect(ofWorkflows).toEqual([]);
    },
  );

  test("matches the repository regardless of case, as on GitHub", async () => {
    expect(
      (await upload(await issuer.issue({ repository: "Acme/Widgets", repository_owner: "Acme" }))).status,
    ).toBe(200);
  });

  test("gets the repeated response of an idempotency key only for its own repository", async () => {
    const key = { "idempotency-key": "4f9f7a1e" };
    expect((await upload(await issuer.issue(), {}, key)).status).toBe(200);
    const jwt = await issuer.issue({ repository: "acme/gadgets" });
    expect(codeOf(await upload(jwt, {}, key))).toEqual({ status: 404, code: "QUEUE_NOT_FOUND" });
  });
});

describe("a rejected workflow token", () => {
  test.each<[what: string, why: RegExp, make: () => Promise<string>]>([
    [
      "for another audience",
      /audience is not https:/,
      () => issuer.issue({ aud: "https://github.com/acme" }),
    ],
    ["for no audience", /claim aud|audience/, () => issuer.issue({ aud: null })],
    ["of another issuer", /issuer is not/, () => issuer.issue({ iss: "https://evil.example" })],
    ["of no issuer", /issuer is not/, () => issuer.issue({ iss: null })],
    ["that has expired", /has expired/, () => issuer.issue({ exp: now() - 60 })],
    ["that never expires", /claim exp/, () => issuer.issue({ exp: null })],
    ["that is not valid yet", /not valid yet/, () => issuer.issue({ nbf: now() + 60 })],
    ["without a repository", /claim repository/, () => issuer.issue({ repository: null })],
    ["whose owner is not the repository's", /claims/, () => issuer.issue({ repository_owner: "evil" })],
    ["whose repository is not valid", /claims/, () => issuer.issue({ repository: "acme/widgets/x" })],
    [
      "signed with another key under a known key id",
      /none of the issuer's keys/,
      async () => issuer.issue({}, { key: (await generateKeyPair("RS256")).privateKey }),
    ],
    ["signed with an unknown key", /none of the issuer's keys/, () => issuer.issue({}, { kid: "other" })],
    ["that is not signed", /not signed with RS256/, () => issuer.forge({ alg: "none" }, () => "")],
    [
      "signed with the public key as a shared secret",
      /not signed with RS256/,
      () =>
        issuer.forge({ alg: "HS256", kid: "first" }, (text, jwk) => {
          const pem = createPublicKey({ key: JSON.parse(jwk), format: "jwk" }).export({
            type: "spki",
            format: "pem",
          });
          return createHmac("sha256", pem).update(text).digest("base64url");
        }),
    ],
    ["that is not a token", /not a signed JSON Web Token/, async () => "no.such.token"],
  ])("%s gets the reason", async (_what, why, make) => {
    const { status, headers, body } = await upload(await make());
    expect({ status, code: body.code }).toEqual({ status: 401, code: "WORKFLOW_TOKEN_NOT_VALID" });
    expect(body.detail).toMatch(why);
    expect(headers.get("www-authenticate")).toContain('error="invalid_token"');
  });

  test("that expired after it was accepted gets the reason", async () => {
    const jwt = await issuer.issue({ exp: now() + 60 });
    expect((await upload(jwt)).status).toBe(200);
    api.elapse(120_000);
    expect((await upload(jwt)).body.detail).toMatch(/has expired/);
    api.elapse(-120_000);
  });
});

test("an API token takes precedence over a workflow token", async () => {
  const jwt = await issuer.issue();
  expect(codeOf(await upload(jwt, {}, { "x-api-token": "hunter2" }))).toEqual({
    status: 401,
    code: "TOKEN_NOT_VALID",
  });
  const readOnly = await api.createToken(["read"]);
  expect(codeOf(await upload(jwt, {}, { "x-api-token": readOnly })).code).toBe("SCOPE_MISSING");
  const allowed = await api.createToken(["submit"]);
  expect((await upload("not.a.token", {}, { "x-api-token": allowed })).status).toBe(200);
});

describe("the issuer's keys", () => {
  test("are not requested again for each token, nor for tokens of other issuers", async () => {
    await upload(await issuer.issue());
    const { asked } = issuer;
    for (let index = 0; index < 5; index++) await upload(await issuer.issue({ jti: String(index) }));
    await upload(await issuer.issue({ iss: "https://evil.example" }, { kid: "unknown" }));
    expect(issuer.asked).toBe(asked);
  });

  test("are requested again when a token names a new one, and the old one is no longer accepted", async () => {
    const old = await issuer.issue();
    expect((await upload(old)).status).toBe(200);
    await issuer.rotate("second");
    expect((await upload(await issuer.issue())).status).toBe(200);
    expect(codeOf(await upload(old)).code).toBe("WORKFLOW_TOKEN_NOT_VALID");
  });

  test("that cannot be read cause a 503 response, until they can be read again", async () => {
    await issuer.rotate("third");
    issuer.fail(true);
    const { status, headers, body } = await upload(await issuer.issue());
    expect({ status, code: body.code }).toEqual({ status: 503, code: "ISSUER_UNAVAILABLE" });
    expect(headers.get("retry-after")).toBe("10");
    issuer.fail(false);
    expect((await upload(await issuer.issue())).status).toBe(200);
  });

  test("cause a 503 response when their address is unreachable", async () => {
    const gone = await TokenIssuer.start();
    const other = closing(await startApi({ workflowTokens: gone.settings }));
    const jwt = await gone.issue();
    await gone.close();
    const answer = await other.post(
      "setImpactedTargets",
      { ...other.queue, pr: { number: 7, sha }, impactedTargets: [] },
      { "x-api-token": "", authorization: `Bearer ${jwt}` },
    );
    expect(codeOf(answer)).toEqual({ status: 503, code: "ISSUER_UNAVAILABLE" });
  });

  test("are requested only once for several unknown key ids", async () => {
    const calm = closing(await TokenIssuer.start());
    const other = closing(await startApi({ workflowTokens: { ...calm.settings, cooldownMs: 60_000 } }));
    const body = { ...other.queue, pr: { number: 7, sha }, impactedTargets: [] };
    for (let index = 0; index < 10; index++) {
      const authorization = `Bearer ${await calm.issue({}, { kid: `made-up-${index}` })}`;
      const answer = await other.post("setImpactedTargets", body, { "x-api-token": "", authorization });
      expect(codeOf(answer)).toEqual({ status: 401, code: "WORKFLOW_TOKEN_NOT_VALID" });
    }
    expect(calm.asked).toBe(1);
  });
});

test("a token with several audiences is accepted if this service is one of them", async () => {
  expect((await upload(await issuer.issue({ aud: ["https://other.example", audience] }))).status).toBe(200);
});

test("no log contains a workflow token", async () => {
  const jwt = await issuer.issue();
  await upload(jwt);
  expect(api.logged.join("\n")).not.toContain(jwt.split(".")[2]);
});
