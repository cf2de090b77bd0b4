import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { createPlayground, type Playground } from "./playground.ts";

const stub = join(import.meta.dirname, "drawn/bazel-stub.mjs");
const rule = (name: string, sources: readonly string[], kind = "genrule") =>
  `${kind}(name = "${name}", srcs = ${JSON.stringify(sources)}, outs = ["${name}.out"])\n`;
const files = {
  WORKSPACE: "",
  "defs.bzl": "",
  "lib/BUILD": rule("all_of_it", ["a.txt"]),
  "lib/a.txt": "a\n",
  "app/BUILD": `${rule("all_of_it", ["//lib:all_of_it"])}${rule("unit", ["//lib:all_of_it"], "sh_test")}`,
};
const changed = { "lib/a.txt": "else\n" };

let playground: Playground;

afterEach(() => playground.close());

async function impact(
  inputs: Record<string, string>,
  change: Record<string, string> = changed,
  base: Record<string, string> = files,
) {
  playground = await createPlayground({ files: base, tool: null, changes: [] });
  const head = await playground.propose(change);
  const all = { provider: "bazel", "bazel-path": stub, "impact-all-paths": "", ...inputs };
  return playground.impact(all, head, { what: "x", changed: change, impacts: [] });
}

describe("the bazel provider", () => {
  test("uploads only targets of the requested kinds", async () => {
    expect(await impact({})).toEqual(["//app:all_of_it", "//app:unit", "//lib:a.txt", "//lib:all_of_it"]);
    await playground.close();
    expect(await impact({ "bazel-target-kinds": "*_test" })).toEqual(["//app:unit"]);
    await playground.close();
    expect(await impact({ "bazel-target-kinds": "rule" })).toEqual([
      "//app:all_of_it",
      "//app:unit",
      "//lib:all_of_it",
    ]);
    await playground.close();
    expect(await impact({ "bazel-target-kinds": "rule, !genrule" })).toEqual(["//app:unit"]);
  });

  test("uploads only targets of the given scope, but also those impacted by files outside of the scope", async () => {
    expect(await impact({ "bazel-scope": "//app/..." })).toEqual(["//app:all_of_it", "//app:unit"]);
    await playground.close();
    expect(await impact({ "bazel-scope": "//..., -//lib/..., -//app:unit" })).toEqual(["//app:all_of_it"]);
  });

  test("uploads ALL when no target matches the kinds or the scope, for example after a typing error", async () => {
    expect(await impact({ "bazel-target-kinds": "*_tset" })).toContain(
      "Bazel lists no target that could be impacted",
    );
    await playground.close();
    expect(await impact({ "bazel-scope": "//ap/..." })).toContain(
      "Bazel lists no target that could be impacted",
    );
  });

  test("uploads ALL when Bazel lists no target", async () => {
    expect(await impact({}, { "docs/guide.md": "2\n" }, { WORKSPACE: "" })).toContain(
      "Bazel lists no target",
    );
    await playground.close();
    const none = { "targets-paths": "none: **" };
    expect(await impact(none, { "docs/guide.md": "2\n" }, { WORKSPACE: "" })).toContain(
      "Bazel lists no target",
    );
  });

  test("uploads ALL for a Starlark file that the WORKSPACE file may load", async () => {
    const base = {
      ...files,
      WORKSPACE: 'load("//:defs.bzl", "x")\n',
      "app/BUILD": `load("//:defs.bzl", "y")\n${files["app/BUILD"]}`,
    };
    expect(await impact({}, { "defs.bzl": "# 2\n" }, base)).toContain(
      "the workspace's definition may load defs.bzl",
    );
    await playground.close();
    expect(await impact({}, { "defs.bzl": "# 2\n" }, { ...base, WORKSPACE: "" })).toEqual([]);
  });

  test("runs the given Bazel binary with the given options", async () => {
    playground = await createPlayground({ files, tool: null, changes: [] });
    const wrapper = join(playground.workspace, "..", "wrapper");
    await writeFile(wrapper, `#!/bin/sh\necho "$@" >> "${wrapper}.log"\nexec "${stub}" "$@"\n`, {
      mode: 0o755,
    });
    const head = await playground.propose(changed);
    const options = {
      "bazel-startup-options": "--host_jvm_args=-Xmx4g, --batch",
      "bazel-query-options": "--config=ci",
    };
    const inputs = { provider: "bazel", "bazel-path": wrapper, "impact-all-paths": "", ...options };
    await playground.impact(inputs, head, { what: "x", changed, impacts: [] });
    const [base] = (await readFile(`${wrapper}.log`, "utf8")).split("\n");
    expect(base).toMatch(
      /--host_jvm_args=-Xmx4g --batch query --config=ci --order_output=no .*\/\/\.\.\.:all-targets$/,
    );
  });

  test("reports that the given Bazel binary is not installed", async () => {
    expect(await impact({ "bazel-path": "./no-bazel" })).toContain(
      "./no-bazel is not installed on this runner",
    );
  });
});
