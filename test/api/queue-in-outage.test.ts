import { afterEach, expect, test } from "@jest/globals";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { client, target } from "../sandbox/scene.ts";
import { type Api, startApi } from "./api-harness.ts";

let api: Api;

afterEach(() => api.close());

const path = ".github/trainyard.yml";

async function untilSource(source: string): Promise<void> {
  const deadline = Date.now() + 180_000;
  while ((await api.post("getQueue", api.queue)).body.requiredStatusesSource !== source)
    if (Date.now() > deadline) throw new Error(`waited 180 s in vain for ${source}`);
}

test("a queue can be read while GitHub is unreachable, with the last known repository file", async () => {
  api = await startApi();
  const admin = api.sandbox.createUser({ login: "admin", permission: "admin" });
  const asAdmin = client(api.sandbox, admin.token);
  const file = "requiredStatuses: [build]\nlabels:\n  submit: ship it\n";
  const sha = await commitOn(asAdmin, await tipOf(asAdmin, "main"), { [path]: file });
  await asAdmin.rest.git.updateRef({ ...target, ref: "heads/main", sha });
  await api.post("createQueue", api.queue);
  await untilSource("repository_config");
  api.sandbox.faults.outage(true);
  api.stopClock();
  api.elapse(10 * 60_000);
  for (let time = 0; time < 15; time++) {
    const { status, body } = await api.post("getQueue", api.queue);
    expect({ status, source: body.requiredStatusesSource, label: body.enqueueingLabel }).toEqual({
      status: 200,
      source: "repository_config",
      label: "ship it",
    });
  }
  // The others have not waited for GitHub.
  expect(api.sandbox.faults.count().outage).toBeLessThan(15);
});
