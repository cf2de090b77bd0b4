import { expect, test } from "@jest/globals";
import { playService } from "../../tools/simulator/service/play-service.ts";
import { runServiceSeeds } from "../../tools/simulator/service/run-service-seeds.ts";
import { drawServicePlan } from "../../tools/simulator/service/service-plan.ts";

test("lives of the service with slow and faulty calls, lost webhooks and kills end with the right outcomes", async () => {
  const { seeds, broken } = await runServiceSeeds({ from: 5_000, to: 5_030 });
  expect(broken).toEqual([]);
  expect(seeds).toBe(30);
});

test("a replica does not remove a pull request because GitHub shows it as it was before another replica saw a change", async () => {
  const { violations } = await playService(drawServicePlan(21));
  expect(violations).toEqual([]);
});

test("a replica that was suspended between a reading and its report does not remove a pull request that has changed since", async () => {
  const { violations } = await playService(drawServicePlan(2_034));
  expect(violations).toEqual([]);
});

test("a seed repeats its life exactly, also that of several replicas with impacted targets", async () => {
  const plan = drawServicePlan(228);
  expect(plan).toMatchObject({ replicas: 2, settings: { mode: "parallel" } });
  expect(await playService(plan)).toEqual(await playService(plan));
});

test("an outcome that is not the truth is a violation", async () => {
  const plan = drawServicePlan(5_001);
  const [good] = plan.pullRequests.filter(({ ends }) => ends === "merged");
  if (!good) throw new Error("every pull request of this life fails");
  const wrong = plan.pullRequests.map((pr) => (pr === good ? { ...pr, ends: "failed" as const } : pr));
  const { violations } = await playService({ ...plan, pullRequests: wrong });
  expect(violations).toEqual([
    expect.stringMatching(new RegExp(`^#${good.number} ended merged \\(\\w+\\) instead of failed$`)),
  ]);
});
