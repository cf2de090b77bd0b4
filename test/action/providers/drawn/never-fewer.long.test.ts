import { hash } from "node:crypto";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import fc from "../../../drawn.ts";
import { realTools } from "../playground.ts";
import { askProvider } from "./ask.ts";
import { drawnProviders } from "./drawn-providers.ts";
import { applyEdits } from "./edit.ts";
import { drawCase } from "./model.ts";
import { DrawnRepository } from "./repository.ts";
import { impactedInTruth } from "./truth.ts";

/**
 * A larger number of cases needs the real tools, because the answers of only 50 are recorded. A case starts up
 * to thirty processes.
 */
const manyCases = process.env.TRAINYARD_PROVIDER_CASES;
const cases = Number(manyCases ?? 8);
/** A stub replaces Bazel, which takes seconds for each query. */
const inputs = { "bazel-path": join(import.meta.dirname, "bazel-stub.mjs") };
const repositories: DrawnRepository[] = [];

afterAll(() => {
  for (const repository of repositories) repository.close();
});

describe.each(Object.entries(drawnProviders))("the %s provider", (provider, { tool, places, render }) => {
  test("returns every target whose inputs differ, or ALL", async () => {
    const repository = await DrawnRepository.create(tool, manyCases === undefined ? null : realTools);
    repositories.push(repository);
    const counts = { cases: 0, lists: 0, exact: 0 };
    const drawn = fc.asyncProperty(drawCase(places), fc.boolean(), async ({ base, edits }, isPlain) => {
      const head = applyEdits(base, edits, places);
      const [before, after] = [render(base), render(head)];
      const shas = repository.commit(before, after);
      const change = hash("sha256", JSON.stringify([before, after])).slice(0, 12);
      const global = { "impact-all-paths": isPlain ? "" : "default" };
      const answer = await askProvider(repository, shas, { provider, ...inputs, ...global }, change);
      counts.cases += 1;
      if (answer === "ALL") return;
      const truth = impactedInTruth(base, head, { places, render });
      counts.lists += 1;
      if (answer.size === truth.size) counts.exact += 1;
      expect([...truth].filter((target) => !answer.has(target))).toEqual([]);
    });
    // Recordings exist only for the cases of this seed, not for shrunk ones. With the real tools, shrinking
    // takes too long.
    const recorded = tool === null ? {} : { seed: 20_261_121, endOnFailure: true };
    const options = manyCases === undefined ? recorded : { endOnFailure: true };
    await fc.assert(drawn, { numRuns: cases, ...options });
    if (manyCases !== undefined) process.stderr.write(`${provider}: ${JSON.stringify(counts)}\n`);
    expect(counts.lists).toBeGreaterThan(cases / 10);
  }, 36_000_000);
});
