import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Octokit } from "@octokit/rest";
import { type Api, startApi } from "../../api/api-harness.ts";
import { commitOn, tipOf } from "../../sandbox/commit-on-branch.ts";
import { client, target } from "../../sandbox/scene.ts";
import { eventually } from "../../scenarios/eventually.ts";

let api: Api;
let alice: Octokit;
beforeAll(async () => {
  api = await startApi();
  await api.service.start();
  alice = client(api.sandbox, api.sandbox.createUser({ login: "alice", permission: "write" }).token);
});
afterAll(() => api.close());

async function commit(files: Record<string, string>): Promise<void> {
  const sha = await commitOn(alice, await tipOf(alice, "main"), files);
  await alice.rest.git.updateRef({ ...target, ref: "heads/main", sha });
}

let runs = 0;
const inFile = (name: string) => `file="/home/runner/work/widgets/widgets/src/${name}.test.ts"`;

async function upload(name: string, failed: boolean, place = inFile(name)) {
  runs += 1;
  const inner = failed ? '<failure message="no"/>' : "";
  const content = `<testsuite name="w"><testcase ${place} name="${name}">${inner}</testcase></testsuite>`;
  const { body } = await api.post("uploadTestResults", {
    ...{ repo: api.queue.repo, head_sha: "a".repeat(40), tree_sha: "b".repeat(40), branch: "main" },
    ...{ kind: "stable", run_id: String(runs), job: name, step_failed: failed },
    reports: [{ path: "a.xml", content }],
  });
  return body as { quarantined: { quarantine_owner: string | null }[] };
}

/** Returns the owner of the quarantine of a test that became flaky. */
async function ownerOfFlake(name: string, place?: string): Promise<string | null | undefined> {
  await upload(name, true, place);
  await upload(name, false, place);
  const { quarantined } = await eventually(async () => {
    const answer = await upload(name, true, place);
    return answer.quarantined.length > 0 ? answer : null;
  }, `${name} to be quarantined`);
  return quarantined[0]?.quarantine_owner;
}

test("a quarantine is owned by the owners in CODEOWNERS of the default branch, which is at most ten minutes old", async () => {
  await commit({
    ".github/CODEOWNERS":
      "* @acme/all\n/src/turns.test.ts @acme/turners @bob\n/src/loose* \n**/com/acme/pay/ @acme/pay\n",
  });
  expect(await ownerOfFlake("turns")).toBe("@acme/turners");
  expect(await ownerOfFlake("spins")).toBe("@acme/all");
  expect(await ownerOfFlake("loose")).toBeNull();
  // These reports name no file.
  expect(await ownerOfFlake("pays", 'classname="com.acme.pay.PayTest"')).toBe("@acme/pay");
  expect(await ownerOfFlake("adds", 'classname="Acme.Tests.Arithmetic"')).toBe("@acme/all");
  await commit({ ".github/CODEOWNERS": "* @acme/nobody\n" });
  api.elapse(11 * 60_000);
  let attempts = 0;
  await eventually(async () => {
    attempts += 1;
    return (await ownerOfFlake(`stops-${attempts}`)) === "@acme/nobody" ? true : null;
  }, "the new CODEOWNERS to be read");
});
