import { posix } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import fc from "../../../drawn.ts";
import { askProvider } from "./ask.ts";
import { applyEdits } from "./edit.ts";
import { drawCase } from "./model.ts";
import { nodePlaces, renderNode } from "./node.ts";
import { DrawnRepository } from "./repository.ts";
import type { Files } from "./truth.ts";

/**
 * Prints the folder of each changed file, one line per file, so that most targets are printed several times.
 */
const printFolders =
  'git diff --no-renames --name-only "$TRAINYARD_BASE_SHA" "$TRAINYARD_HEAD_SHA" | while read -r file; do dirname "$file"; done';

/** Shell code around the program in a workflow, and whether the output then can be trusted. */
const surroundings = [
  { around: (program: string) => program, isSound: true },
  { around: (program: string) => `echo; ${program} | sed 's/^/  /; s/$/\\r/'`, isSound: true },
  { around: (program: string) => `${program}; exit 3`, isSound: false },
  { around: (program: string) => `exec 2> /dev/null; (${program}; kill -9 $BASHPID) | cat`, isSound: false },
  { around: (program: string) => `false; ${program}`, isSound: false },
] as const;

const cases = Number(process.env.TRAINYARD_PROVIDER_CASES ?? 50);
let repository: DrawnRepository;

afterAll(() => repository.close());

function changedFolders(base: Files, head: Files): Set<string> {
  const paths = Object.keys({ ...base, ...head });
  const changed = paths.filter((path) => JSON.stringify(base[path]) !== JSON.stringify(head[path]));
  return new Set(changed.map((path) => posix.dirname(path)));
}

describe("the command provider", () => {
  test("returns every target that the program prints about a random change, or ALL if the program fails", async () => {
    repository = await DrawnRepository.create(null, false);
    const surrounding = fc.constantFrom(...surroundings);
    const drawn = fc.asyncProperty(
      drawCase(nodePlaces, 1),
      surrounding,
      async ({ base, branches: [edits = []] }, { around, isSound }) => {
        const before = renderNode("npm", base);
        const after = renderNode("npm", applyEdits(base, edits, nodePlaces));
        repository.commit(before, [after]);
        const inputs = { provider: "command", "targets-command": around(printFolders) };
        const answer = await askProvider(repository, repository.merge(0, null), inputs);
        expect(answer).toEqual(isSound ? changedFolders(before, after) : "ALL");
      },
    );
    await fc.assert(drawn, { numRuns: cases });
  }, 36_000_000);
});
