import { describe, expect, test } from "@jest/globals";
import { commands, parseInputs } from "../../src/action/inputs.ts";
import { providerNames } from "../../src/action/providers/provider.ts";
import type { OutputName } from "../../src/action/step.ts";
import { readManifest } from "./run-step.ts";

const valid = { command: "submit", "api-url": "https://trainyard.example.org/" };

function parse(inputs: Record<string, string>) {
  return parseInputs((name) => inputs[name] ?? "");
}

function issues(inputs: Record<string, string>): string[] {
  const parsed = parse(inputs);
  return "issues" in parsed ? parsed.issues.map(({ input, problem }) => `${input} ${problem}`) : [];
}

describe("the Action's inputs", () => {
  test("are all optional except command and api-url", () => {
    expect(parse(valid)).toEqual({
      command: "submit",
      apiUrl: "https://trainyard.example.org",
      apiToken: null,
      audience: null,
      githubToken: null,
      targetBranch: null,
      repository: null,
      pr: null,
      timeoutMs: 3_600_000,
      dryRun: false,
      strict: false,
      verbose: false,
      priority: null,
      noBatch: false,
      wait: false,
    });
  });

  test("are accepted in the forms that people write", () => {
    const written = { "pr-number": "#12", wait: "TRUE", priority: "Urgent", "timeout-minutes": "0.5" };
    expect(parse({ ...valid, ...written, repository: "acme/widgets" })).toMatchObject({
      pr: 12,
      wait: true,
      priority: "Urgent",
      timeoutMs: 30_000,
      repository: { owner: "acme", name: "widgets" },
    });
  });

  test("report all their errors at once", () => {
    const wrong = {
      command: "submit",
      "api-url": "trainyard.example.org",
      repository: "widgets",
      "pr-number": "main",
      priority: "soon",
      wait: "yes",
      "timeout-minutes": "-1",
    };
    expect(issues(wrong)).toEqual([
      "api-url is not an address; give that of the service, https://…",
      'repository is "widgets"; use owner/name',
      'pr-number is "main"; use the number of a pull request',
      'timeout-minutes is "-1"; use a number of minutes, at most 7200',
      'wait is "yes"; use true or false',
      'priority is "soon"; use urgent, high, medium, low, or a number from 0',
    ]);
  });

  test("are explained when none is given", () => {
    expect(issues({})).toEqual([
      "command is missing; use submit, cancel, restart, impacted-targets, status, upload-tests, proved or context",
      "api-url is missing; give the address of the service, https://…",
    ]);
  });

  test("are reported without their secrets", () => {
    const wrong = { ...valid, "api-token": "se cret", "api-url": "https://me:secret@trainyard.example.org" };
    expect(issues(wrong)).toHaveLength(2);
    expect(issues(wrong).join()).not.toMatch(/se ?cret@|se cret/);
  });

  test("for Bazel are lists whose errors are reported", () => {
    const command = { ...valid, command: "impacted-targets", provider: "bazel" };
    const wrong = {
      "bazel-startup-options": "--host_jvm_args=-Xmx4g, batch",
      "bazel-target-kinds": "*_test, [",
      "bazel-scope": "//app/..., app",
      "targets-filters-path": "../filters.yml",
    };
    expect(issues({ ...command, ...wrong })).toEqual([
      'targets-filters-path is "../filters.yml"; use a path from the top of the checkout',
      'bazel-target-kinds has the glob "[", which is not valid; use *, **, ?, [abc] and {a,b}',
      'bazel-scope has "app"; use target patterns such as //services/... or -//services/old/...',
      'bazel-startup-options has "batch"; write each option as --name=value',
    ]);
    expect(parse({ ...command, "bazel-query-options": "--config=ci\n--define=a=b,c\n" })).toMatchObject({
      provider: { bazel: { queryOptions: ["--config=ci", "--define=a=b,c"] } },
    });
  });

  test("with globs may exclude, but must include something", () => {
    const command = { ...valid, command: "upload-tests", "previous-step-outcome": "success" };
    expect(parse({ ...command, "junit-paths": "**/*.xml, !old/**" })).toMatchObject({
      junitPaths: ["**/*.xml", "!old/**"],
    });
    expect(issues({ ...command, "junit-paths": "!a.xml", "stable-branches": "!main" })).toEqual([
      "junit-paths has only globs that exclude (!a.xml); begin with one that includes, such as **",
      "stable-branches has only globs that exclude (!main); begin with one that includes, such as **",
    ]);
  });

  test("limit the wait for shards, or turn it off", () => {
    const command = { ...valid, command: "upload-tests", run: "npm test", "junit-paths": "*.xml" };
    expect(parse(command)).toMatchObject({ waitForShardsMs: 600_000 });
    expect(parse({ ...command, "wait-for-shards": "0.5" })).toMatchObject({ waitForShardsMs: 30_000 });
    expect(parse({ ...command, "wait-for-shards": "0" })).toMatchObject({ waitForShardsMs: 0 });
    expect(issues({ ...command, "wait-for-shards": "never", "timeout-minutes": "0" })).toEqual([
      'timeout-minutes is "0"; use a number of minutes, at most 7200',
      'wait-for-shards is "never"; use a number of minutes, at most 360',
    ]);
  });

  test("for impacted-targets must include what the chosen provider requires", () => {
    const command = { ...valid, command: "impacted-targets" };
    expect(parse(command)).toMatchObject({ provider: { name: "auto", rules: [] }, workingDirectory: "." });
    expect(issues({ ...command, provider: "make" })).toEqual([
      'provider is "make"; use auto, bazel, nx, turborepo, pnpm, yarn, npm, cargo, go, paths, command or all',
    ]);
    expect(issues({ ...command, provider: "paths" })).toEqual([
      "targets-paths is missing; write one `name: glob, glob` per line",
    ]);
    expect(issues({ ...command, provider: "command" })).toEqual([
      "targets-command is missing; give a command that prints one target per line",
    ]);
    const globs = { "targets-paths": "api: api/**\nweb web/**\nlib: lib/[", "impact-all-paths": "{a" };
    expect(issues({ ...command, provider: "go", ...globs })).toEqual([
      'targets-paths line 2 is "web web/**"; write `name: glob, glob`',
      'targets-paths line 3 has the glob "lib/[", which is not valid; use *, **, ?, [abc] and {a,b}',
      'impact-all-paths has the glob "{a", which is not valid; use *, **, ?, [abc] and {a,b}',
    ]);
    for (const outside of ["/etc", "../other", "a/../.."]) {
      expect(issues({ ...command, "working-directory": outside })).toEqual([
        `working-directory is "${outside}"; use a path from the top of the checkout`,
      ]);
    }
  });
});

describe("action.yml", () => {
  const manifest = readManifest();

  test("declares every input that the code reads, and no other", () => {
    const read = new Set<string>();
    const provided = { command: "", provider: "" };
    for (const command of commands) {
      for (const provider of providerNames) {
        const inputs: Record<string, string> = { ...provided, command, provider };
        parseInputs((name) => {
          read.add(name);
          return inputs[name] ?? "";
        });
      }
    }
    expect(Object.keys(manifest.inputs).sort()).toEqual([...read].sort());
  });

  test("documents the default of every optional input", () => {
    const silent = Object.entries(manifest.inputs)
      .filter(([, { required, description }]) => !required && !/Default: |Empty for none/.test(description))
      .map(([name]) => name);
    expect(silent).toEqual([]);
  });

  test("declares every output that the code writes", () => {
    const written: Record<OutputName | "verdict", true> = {
      verdict: true,
      state: true,
      reason: true,
      "test-run-id": true,
      "targets-count": true,
      targets: true,
      "failed-count": true,
      "quarantined-count": true,
      proved: true,
      "run-url": true,
      "tested-sha": true,
      "pull-request": true,
      checks: true,
      context: true,
      members: true,
      "is-bisection": true,
      "failed-files": true,
    };
    expect(Object.keys(manifest.outputs).sort()).toEqual(Object.keys(written).sort());
  });

  test("has the same defaults as the code", () => {
    const defaults = (name: string) => manifest.inputs[name]?.default ?? "";
    const { "api-url": _, command: __, ...rest } = manifest.inputs;
    const inputs = Object.fromEntries(Object.keys(rest).map((name) => [name, defaults(name)]));
    expect(parse({ ...inputs, ...valid, "github-token": "" })).toEqual(parse(valid));
  });
});
