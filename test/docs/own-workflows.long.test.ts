import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { expressionsInScripts, lintWorkflows } from "../action/actionlint.ts";
import type { Job } from "./snippets.ts";

interface OwnWorkflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Partial<Job> & { readonly uses?: string; permissions?: unknown }>>;
}

const folder = join(import.meta.dirname, "../../.github/workflows");
const workflows = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), "utf8");
  return { name, text, workflow: parse(text) as OwnWorkflow };
});

test("the workflows of this repository pass actionlint", async () => {
  await expect(lintWorkflows(`${folder}/*.yml`)).resolves.toBeUndefined();
});

describe.each(workflows)("$name", ({ text, workflow: { permissions, jobs } }) => {
  test("has no expression in its scripts", () => {
    expect(expressionsInScripts(Object.values(jobs).flatMap(({ steps = [] }) => steps))).toEqual([]);
  });

  test("pins each third-party action to a commit, with its version", () => {
    const used = [...text.matchAll(/uses: (?!\.\/)(.*)$/gm)].map(([, action]) => action);
    for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("has read permission only, except for the release job", () => {
    expect(permissions).toEqual({ contents: "read" });
    for (const [name, job] of Object.entries(jobs))
      expect(job.permissions).toEqual(name === "release" ? { contents: "write" } : undefined);
  });
});

test("the release job, which has write permission, runs no code of packages", () => {
  const release = workflows.find(({ name }) => name === "release.yml")?.workflow.jobs.release;
  const scripts = release?.steps?.map(({ run }) => run ?? "") ?? [];
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.join("\n")).not.toMatch(/\bnp[mx]\b|\.ci\/run/);
});
