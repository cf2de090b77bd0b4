import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type OpenedPull, startYard, type Yard } from "../action/yard.ts";
import { exampleWorkflows, workflowSnippets } from "./snippets.ts";

/** This example needs Nx. */
const withTools = ["impacted-targets-build-tool.yml"];
const report = '<testsuite name="s" tests="1"><testcase name="spins"/></testsuite>';
const manifest = { name: "widgets", version: "1.0.0" };
const lock = { ...manifest, lockfileVersion: 3, packages: { "": manifest } };

let yard: Yard;
let pull: OpenedPull;

beforeAll(async () => {
  yard = await startYard();
  pull = await yard.open("topic", {
    "package.json": JSON.stringify({ ...manifest, scripts: { test: "node test.js" } }),
    "package-lock.json": JSON.stringify(lock),
    "test.js": `require("node:fs").writeFileSync("reports/junit.xml", ${JSON.stringify(report)});`,
  });
  await yard.submit(pull.number);
});

afterAll(() => yard.close());

beforeEach(async () => {
  await rm(join(yard.workspace, "reports"), { recursive: true, force: true });
  await mkdir(join(yard.workspace, "reports"));
  await writeFile(join(yard.workspace, "reports/junit.xml"), report);
});

const steps = [...workflowSnippets(), ...exampleWorkflows()].flatMap(({ name, jobs }) =>
  jobs.flatMap((job) =>
    job.steps.flatMap(({ uses, with: given }) =>
      uses?.startsWith("trainyard/") && !withTools.includes(name) ? [[name, given ?? {}] as const] : [],
    ),
  ),
);

test.each(steps)("the step of %s succeeds", async (_name, given) => {
  const expressions: Readonly<Record<string, string>> = {
    "vars.TRAINYARD_URL": yard.url,
    "secrets.TRAINYARD_TOKEN": yard.token,
    "inputs.pr-number": String(pull.number),
    "steps.tests.outcome": "success",
  };
  const inputs = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      String(value).replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
        if (expressions[expression] === undefined) throw new Error(`what is ${expression}?`);
        return expressions[expression];
      }),
    ]),
  );
  // Commands that would wait for the queue or change it run as a dry run.
  const isQuiet = inputs.command === "upload-tests" || inputs.command === "impacted-targets";
  const testBranch = "trainyard-merge/pr-1/00000000-0000-4000-8000-000000000000";
  const branch = inputs.command === "context" ? testBranch : "topic";
  const step = await yard.start(pull, {
    inputs: { ...inputs, "dry-run": String(!isQuiet), "timeout-minutes": "0.1" },
    env: {
      ...{ GITHUB_EVENT_NAME: "pull_request", GITHUB_HEAD_REF: branch, GITHUB_SHA: pull.headSha },
      ...{ GITHUB_JOB: "test", GITHUB_WORKFLOW: "CI" },
    },
  });
  const end = await step.ended;
  expect({ ...end, annotations: end.annotations.filter(({ level }) => level === "error") }).toMatchObject({
    exitCode: 0,
    annotations: [],
    outputs: { verdict: expect.stringMatching(/^(passed|uploaded|dry-run|timed-out|merged)$/) },
  });
});
