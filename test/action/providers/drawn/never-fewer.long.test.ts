import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import fc from "../../../drawn.ts";
import { askProvider } from "./ask.ts";
import { drawnProviders } from "./drawn-providers.ts";
import { applyEdits, withoutHidden } from "./edit.ts";
import { mergeModels } from "./merge-models.ts";
import { drawCase, type Model } from "./model.ts";
import { DrawnRepository } from "./repository.ts";
import { impactedInTruth } from "./truth.ts";

/** Only the answers to a few cases are recorded. More need the real tools. */
const manyCases = process.env.TRAINYARD_PROVIDER_CASES;
const cases = Number(manyCases ?? 16);
/** The `path` that fast-check prints for a workspace that fails. The run begins with that workspace. */
const start = process.env.FAST_CHECK_PATH;
/** The branches of each workspace. Each is merged into each other one, and into the base. */
const branches = manyCases === undefined ? 2 : 4;
/** A stub replaces Bazel, which takes seconds. */
const inputs = manyCases === undefined ? { "bazel-path": join(import.meta.dirname, "bazel-stub.mjs") } : {};
const repositories: DrawnRepository[] = [];

afterAll(() => {
  for (const repository of repositories) repository.close();
});

describe.each(Object.entries(drawnProviders))("the %s provider", (provider, { tool, places, render }) => {
  test("returns every target whose inputs a merge changes, or ALL", async () => {
    const recorded = provider === "bazel" && manyCases === undefined ? null : tool;
    const repository = await DrawnRepository.create(recorded, manyCases !== undefined);
    repositories.push(repository);
    const counts = { workspaces: 0, cases: 0, moved: 0, crossed: 0, lists: 0, exact: 0 };
    const crossed = fc.nat(19);
    const workspaces = fc.tuple(drawCase(places, branches), fc.boolean(), crossed);
    const drawn = fc.asyncProperty(workspaces, async ([{ base, branches }, isPlain, crossed]) => {
      if (counts.cases === cases) return;
      const models = branches.map((edits) => withoutHidden(base, applyEdits(base, edits, places), render));
      const global = { "impact-all-paths": isPlain ? "" : "default" };
      repository.commit(render(base), models.map(render));
      counts.workspaces += 1;
      for (const [at, [head, target]] of pairsOf(models).entries()) {
        const isMoved = head !== target;
        const main = isMoved ? target : base;
        const merged = mergeModels(base, head, main);
        if (merged === null || counts.cases === cases) continue;
        if (JSON.stringify(head) === JSON.stringify(base)) continue;
        const isCrossed = isMoved && at === crossed;
        const branch = (model: Model) => models.indexOf(model);
        const sides = repository.merge(branch(head), isMoved ? branch(target) : null, isCrossed);
        const answer = await askProvider(repository, sides, { provider, ...inputs, ...global });
        counts.cases += 1;
        if (isMoved) counts.moved += 1;
        if (isCrossed) {
          counts.crossed += 1;
          expect(answer).toBe("ALL");
        }
        if (answer === "ALL") continue;
        const truth = impactedInTruth(main, merged, { places, render });
        counts.lists += 1;
        if (answer.size === truth.size) counts.exact += 1;
        const missed = [...truth].filter((one) => !answer.has(one));
        const edits = { head: branches[branch(head)], target: isMoved ? branches[branch(target)] : [] };
        expect({ ...edits, missed }).toEqual({ ...edits, missed: [] });
      }
    });
    // Answers are recorded only for the cases of this seed, and not for smaller ones.
    const seed = recorded === null || manyCases !== undefined ? {} : { seed: 20_261_121 };
    const path = start === undefined ? {} : { path: start };
    await fc.assert(drawn, { numRuns: cases, endOnFailure: true, ...seed, ...path });
    if (manyCases !== undefined) process.stderr.write(`${provider}: ${JSON.stringify(counts)}\n`);
    expect(counts.cases).toBe(cases);
    expect(counts.lists).toBeGreaterThan(cases / 10);
  }, 36_000_000);
});

function pairsOf<Item>(items: readonly Item[]): (readonly [Item, Item])[] {
  return items.flatMap((one) => items.map((other) => [one, other] as const));
}
