import { expect, test } from "@jest/globals";
import { applyEdits, withoutHidden } from "./edit.ts";
import { mergeModels } from "./merge-models.ts";
import type { Edit, Model, ModelPackage } from "./model.ts";
import { renderNx, taskPlaces } from "./node.ts";

const own: ModelPackage = {
  id: 0,
  name: "own",
  folder: "vendor/own",
  isListed: false,
  files: { "index.js": 0 },
  needs: {},
  reads: [],
  secretly: [],
};
const user = { ...own, id: 1, name: "user", folder: "packages/c", isListed: true, needs: { 0: 0 } };
const base: Model = { packages: [user, own], loose: {} };
const edited = (edit: Edit) => withoutHidden(base, applyEdits(base, [edit], taskPlaces), renderNx);

test("a drawn pull request whose files are those of the base changes nothing that is merged", () => {
  // The base needs a package that is not listed. Its path is written for kind 2 as for kind 0, but another path for kind 4.
  const samePath = edited({ kind: "need", first: 2, second: 1 });
  const otherPath = edited({ kind: "need", first: 4, second: 1 });
  const listed = edited({ kind: "list package", first: 1, second: 0 });
  expect(mergeModels(base, samePath, listed)).toEqual(listed);
  expect(mergeModels(base, otherPath, listed)).not.toEqual(listed);
});
