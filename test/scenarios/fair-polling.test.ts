import { expect, test } from "@jest/globals";
import { Stage } from "./stage.ts";

const prs = 60;

test("the last of sixty pull requests that are not ready is noticed soon when it becomes ready and every webhook is lost", async () => {
  const stage = await Stage.open({
    queue: {},
    sandbox: { webhooks: { drop: 1 } },
    rules: { requiredReviews: 1 },
    bypass: true,
    environment: { TRAINYARD_RECONCILE_MS: "1000" },
  });
  try {
    const numbers: number[] = [];
    for (let pr = 1; pr <= prs; pr++)
      numbers.push(await stage.openPullRequest(`pr-${pr}`, undefined, { settle: false }));
    await stage.sandbox.settled();
    for (const number of numbers) await stage.client.submitPullRequest({ ...stage.queue, pr: { number } });
    const last = numbers.at(-1) ?? 0;
    expect(await stage.look(last)).toMatchObject({ state: "not_ready" });
    await stage.review(last, "APPROVE");
    await stage.until(last, "pending", "testing", "tests_passed", "merged");
  } finally {
    await stage.close();
  }
});
