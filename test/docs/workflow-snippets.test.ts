import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { expressionsInScripts, lintWorkflows } from "../action/actionlint.ts";
import { workflowSnippets } from "./snippets.ts";

const snippets = workflowSnippets();

test("the documentation contains workflow snippets", () => {
  const names = snippets.map(({ name }) => name);
  const expected = [
    "docs/how-to/installing.md 1",
    "docs/reference/action.md 1",
    "docs/how-to/flaky-tests.md 1",
    "docs/how-to/ci.md 1",
  ];
  expect(names).toEqual(expect.arrayContaining(expected));
});

test("the workflow snippets of the documentation pass actionlint", async () => {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-snippets-"));
  for (const { name, text } of snippets)
    await writeFile(join(directory, `${name.replaceAll(/\W+/g, "-")}.yml`), text);
  await expect(lintWorkflows(`${directory}/*.yml`)).resolves.toBeUndefined();
  await rm(directory, { recursive: true });
});

test.each(snippets.map(({ name, jobs }) => [name, jobs] as const))(
  "%s has no expression in a script",
  (_name, jobs) => {
    expect(expressionsInScripts(jobs.flatMap(({ steps }) => steps))).toEqual([]);
  },
);
