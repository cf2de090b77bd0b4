import { matchesGlob } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import fc from "../../../drawn.ts";
import { askProvider } from "./ask.ts";
import { applyEdits } from "./edit.ts";
import { drawCase } from "./model.ts";
import { nodePlaces, renderNode } from "./node.ts";
import { DrawnRepository } from "./repository.ts";
import type { Files } from "./truth.ts";

const rules = {
  a: ["packages/a/**"],
  b: ["packages/b/**", "packages/shared.json"],
  libs: ["libs/*/**"],
  code: ["**/*.js", "packages/{a,c}/src/**"],
  text: ["**/*.{md,txt}"],
  packages: ["packages/**", "package.json"],
  fixtures: ["**/test/*.json", "[d-p]*/**"],
  none: ["Makefile", "docker/**", "**/README.md"],
};
type Target = keyof typeof rules;

const cases = Number(process.env.TRAINYARD_PROVIDER_CASES ?? 50);
let repository: DrawnRepository;

afterAll(() => repository.close());

/**
 * The expected targets of targets-paths. They are computed with Node.js's own glob matching instead of the
 * Action's.
 */
function impactedInTruth(base: Files, head: Files, targets: readonly Target[]): Set<string> | "ALL" {
  const paths = Object.keys({ ...base, ...head });
  const changed = paths.filter((path) => JSON.stringify(base[path]) !== JSON.stringify(head[path]));
  const named = changed.map((path) =>
    targets.filter((target) => rules[target].some((glob) => matchesGlob(path, glob))),
  );
  if (named.some((each) => each.length === 0)) return "ALL";
  return new Set(named.flat().filter((target) => target !== "none"));
}

describe("the paths provider", () => {
  test("returns the targets that its rules give for the changed files, or ALL if a file matches no rule", async () => {
    repository = await DrawnRepository.create(null, false);
    const targets = fc.subarray(Object.keys(rules) as Target[], { minLength: 3 });
    const drawn = fc.asyncProperty(
      drawCase(nodePlaces, 1),
      targets,
      async ({ base, branches: [edits = []] }, targets) => {
        const [before, after] = [base, applyEdits(base, edits, nodePlaces)].map((model) =>
          renderNode("npm", model),
        );
        repository.commit(before ?? {}, [after ?? {}]);
        const lines = targets.map((target) => `${target}: ${rules[target].join(", ")}`).join("\n");
        const inputs = { provider: "paths", "targets-paths": lines };
        expect(await askProvider(repository, repository.merge(0, null), inputs)).toEqual(
          impactedInTruth(before ?? {}, after ?? {}, targets),
        );
      },
    );
    await fc.assert(drawn, { numRuns: cases });
  }, 36_000_000);
});
