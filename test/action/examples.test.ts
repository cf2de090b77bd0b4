import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { commands, parseInputs } from "../../src/action/inputs.ts";
import { expressionsInScripts, lintWorkflows } from "./actionlint.ts";
import { readManifest } from "./run-step.ts";

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Record<
    string,
    { steps: readonly { uses?: string; run?: string; with?: Record<string, unknown> }[] }
  >;
}

const directory = join(import.meta.dirname, "../../docs/workflows");
const { inputs } = readManifest();
/** The inputs as the runner would pass them, with a sample value in place of each expression. */
function given(written: Record<string, unknown>): Record<string, string> {
  const values: [RegExp, string][] = [
    [/\$\{\{ vars\.\w+ \}\}/, "https://trainyard.example.org"],
    [/\$\{\{ secrets\.\w+ \}\}/, "ty_secret"],
    [/\$\{\{ github\.token \}\}/, "ghs_own"],
    [/\$\{\{ inputs\.pr-number \}\}/, "12"],
    [/\$\{\{ steps\.\w+\.outcome \}\}/, "failure"],
    [/\$\{\{ toJSON\(matrix\) \}\}/, '{ "os": "ubuntu-latest" }'],
    [/\$\{\{ job\.check_run_id \}\}/, "4711"],
  ];
  const all = Object.entries({
    ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default ?? ""])),
    ...written,
  });
  return Object.fromEntries(
    all.map(([name, value]) => [
      name,
      values.reduce((text, [pattern, known]) => text.replace(pattern, known), String(value)),
    ]),
  );
}

describe("the example workflows", () => {
  test.each(readdirSync(directory))(
    "%s passes valid inputs to the Action, declares its permissions, and has no expression in a script",
    (file) => {
      const workflow: Workflow = parse(readFileSync(join(directory, file), "utf8"));
      expect(workflow.permissions).toBeDefined();
      const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
      expect(expressionsInScripts(steps)).toEqual([]);
      const ours = steps.filter(({ uses }) => uses?.startsWith("trainyard/trainyard@"));
      expect(ours).toHaveLength(1);
      for (const { with: written = {} } of ours) {
        expect(Object.keys(written).filter((name) => !(name in inputs))).toEqual([]);
        const values = given(written);
        expect(parseInputs((name) => values[name] ?? "")).not.toHaveProperty("issues");
      }
    },
  );

  test("cover every command", () => {
    const texts = readdirSync(directory).map((file) => readFileSync(join(directory, file), "utf8"));
    const missing = commands.filter(
      (command) => !texts.some((text) => text.includes(`command: ${command}\n`)),
    );
    expect(missing).toEqual([]);
  });

  test("pass actionlint", async () => {
    await expect(lintWorkflows(`${directory}/*.yml`)).resolves.toBeUndefined();
  });

  test("would fail actionlint if one had an error", async () => {
    const broken = await mkdtemp(join(tmpdir(), "trainyard-workflow-"));
    const workflow = readFileSync(join(directory, "status.yml"), "utf8");
    await writeFile(join(broken, "broken.yml"), workflow.replace("vars.TRAINYARD_URL", "var.TRAINYARD_URL"));
    await expect(lintWorkflows(`${broken}/*.yml`)).rejects.toThrow("actionlint found");
    await rm(broken, { recursive: true });
  });
});
