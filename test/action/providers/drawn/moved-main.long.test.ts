import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import fc from "../../../drawn.ts";
import { realTools } from "../playground.ts";
import { askProvider } from "./ask.ts";
import { drawnProviders } from "./drawn-providers.ts";
import { applyEdits } from "./edit.ts";
import { mergeModels } from "./merge-models.ts";
import { drawCase } from "./model.ts";
import { DrawnRepository } from "./repository.ts";
import { impactedInTruth } from "./truth.ts";

const manyCases = process.env.TRAINYARD_PROVIDER_CASES;
const cases = Number(manyCases ?? 8);
/** A stub replaces Bazel, which takes seconds for each query. */
const inputs = { "bazel-path": join(import.meta.dirname, "bazel-stub.mjs") };
const repositories: DrawnRepository[] = [];

afterAll(() => {
  for (const repository of repositories) repository.close();
});

/** Without the real tools, only providers that run none are tested. */
const tested = Object.entries(drawnProviders).filter(
  ([, { tool }]) => tool === null || manyCases !== undefined,
);

describe.each(tested)("the %s provider", (provider, { tool, places, render }) => {
  test("returns every target whose inputs differ when main has moved on, or ALL", async () => {
    const repository = await DrawnRepository.create(tool, manyCases === undefined ? null : realTools);
    repositories.push(repository);
    const counts = { cases: 0, lists: 0 };
    const isCrossed = fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0);
    const both = fc.tuple(drawCase(places), drawCase(places), fc.boolean(), isCrossed);
    const drawn = fc.asyncProperty(both, async ([{ base, edits }, { edits: ofMain }, isPlain, crossed]) => {
      const head = applyEdits(base, edits, places);
      const target = applyEdits(base, ofMain, places);
      const merged = mergeModels(base, head, target);
      fc.pre(merged !== null);
      const shas = repository.commit(render(base), render(head), {
        target: render(target),
        isCrossed: crossed,
      });
      const global = { "impact-all-paths": isPlain ? "" : "default" };
      const answer = await askProvider(repository, shas, { provider, ...inputs, ...global }, "moved");
      counts.cases += 1;
      if (crossed) expect(answer).toBe("ALL");
      if (answer === "ALL") return;
      counts.lists += 1;
      const truth = impactedInTruth(target, merged, { places, render });
      const missed = [...truth].filter((one) => !answer.has(one));
      expect(missed).toEqual([]);
    });
    await fc.assert(drawn, { numRuns: cases, endOnFailure: true });
    if (manyCases !== undefined) process.stderr.write(`${provider}: ${JSON.stringify(counts)}\n`);
    expect(counts.lists).toBeGreaterThan(cases / 20);
  }, 36_000_000);
});
