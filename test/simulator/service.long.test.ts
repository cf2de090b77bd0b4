import { expect, test } from "@jest/globals";
import { unanswered } from "../../tools/simulator/service/judge-service.ts";
import { playService, runServiceSeeds } from "../../tools/simulator/service/play-service.ts";
import { drawServicePlan } from "../../tools/simulator/service/service-plan.ts";
import { VirtualComments } from "../../tools/simulator/service/virtual-pull-requests.ts";

test("lives of the service with slow and faulty calls, lost webhooks and kills end with the right outcomes", async () => {
  const { seeds, broken } = await runServiceSeeds({ from: 5_000, to: 5_015 });
  expect(broken).toEqual([]);
  expect(seeds).toBe(15);
});

/** In each of these lives, an earlier version of the service did something wrong. What is drawn from a seed must not change. */
test.each([
  [5_237, "comment", "a lost `merge` is not carried out after a later `cancel`"],
  [7_109, "comment", "a command that polling found survives a new installation of the App"],
  [
    31_052,
    "label",
    "a label that is handled while the queue follows a renamed repository submits at the new name",
  ],
  [
    5_059,
    "label",
    "a label that is removed while its submission is carried out, for another branch, withdraws it",
  ],
  [741_854, "auto_merge", "auto-merge that is disabled at such a time does so, too"],
  [
    830_019,
    "comment",
    "a command is found that was given before the queue was created, by a clock that is ahead",
  ],
  [730_538, "auto_merge", "auto-merge that polling found follows a renamed branch"],
  [850_007, "auto_merge", "a pull request that somebody merges beside the queue ends as merged"],
  [
    850_367,
    "auto_merge",
    "auto-merge is found that polling looked for while the repository was being renamed",
  ],
  [921_475, "api", "a merge is shown although the queue of the former base branch hears of the change later"],
  [921_209, "comment", "the label of an earlier state does not come back when an update is repeated"],
  [
    955_189,
    "comment",
    "a renamed branch removes no pull request while one replica of GitHub shows its former name, too",
  ],
  [982_122, "comment", "a test that passed while the service was away for hours does not time out"],
  [26, "auto_merge", "nothing merges while GraphQL refuses to say whether reviewers object"],
  [
    20_031,
    "label",
    "a merge is right whose reviews REST showed, although GraphQL refuses to tell of the pull request behind it",
  ],
  [20_017, "comment", "a comment is hidden by the next one, also if GitHub's answer to it was lost"],
  [
    20_159,
    "comment",
    "a `cancel` whose webhook no service received, because all were away, does not count as received",
  ],
  [20_448, "label", "no pull request is removed when a long incident ends right after a denial"],
  [741_585, "auto_merge", "a `resume` counts that is carried out while the queue follows its repository"],
] as const)("life %d ends well, with commands by %s: %s", async (seed, by, _why) => {
  const plan = drawServicePlan(seed);
  expect(plan.by).toBe(by);
  const { violations } = await playService(plan);
  expect(violations).toEqual([]);
});

test("a seed repeats its life exactly, also that of several replicas with impacted targets", async () => {
  const plan = drawServicePlan(228);
  expect(plan).toMatchObject({ replicas: 2, settings: { mode: "parallel" } });
  expect(await playService(plan)).toEqual(await playService(plan));
});

test("a comment that nobody answers is a violation, also if all pull requests end as they should", () => {
  const comments = new VirtualComments();
  comments.post(1, "/trainyard status", 0);
  const refused = comments.post(2, "/trainyard restart", 0);
  comments.react(refused.nodeId, "confused");
  expect(unanswered(comments)).toEqual(["/trainyard status on #1 was never answered"]);
});

test("an outcome that contradicts the truth is a violation", async () => {
  const plan = drawServicePlan(5_001);
  const [good] = plan.pullRequests.filter(({ ends }) => ends === "merged");
  if (!good) throw new Error("every pull request of this life fails");
  const wrong = plan.pullRequests.map((pr) => (pr === good ? { ...pr, ends: "failed" as const } : pr));
  const { violations } = await playService({ ...plan, pullRequests: wrong });
  expect(violations).toEqual([
    expect.stringMatching(new RegExp(`^#${good.number} ended merged \\(\\w+\\) instead of failed$`)),
  ]);
});
