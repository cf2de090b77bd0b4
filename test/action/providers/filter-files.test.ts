import { afterEach, describe, expect, test } from "@jest/globals";
import { createPlayground, type Playground } from "./playground.ts";
import { json } from "./scenario.ts";

let playground: Playground;

afterEach(() => playground.close());

const filters = `shared: &shared
  - proto/**
api:
  - *shared
  - "api/**"
web: "web/**/*.{ts,tsx}"
ALL:
  - Dockerfile
`;

async function impact(changed: Record<string, string>, inputs: Record<string, string>, text = filters) {
  const files = {
    ".github/filters.yml": text,
    "package.json": json({ workspaces: ["web"] }),
    "web/package.json": json({ name: "pages" }),
  };
  playground = await createPlayground({ files, tool: null, changes: [] });
  const head = await playground.propose(changed);
  const all = { provider: "paths", "impact-all-paths": "", ...inputs };
  return playground.impact(all, head, { what: "x", changed, impacts: [] });
}

const forTargets = { "targets-filters-path": ".github/filters.yml" };

describe("a filter file", () => {
  test("assigns changed files to targets", async () => {
    expect(await impact({ "proto/api.proto": "1\n", "web/pages/[id].tsx": "1\n" }, forTargets)).toEqual([
      "api",
      "shared",
      "web",
    ]);
    await playground.close();
    expect(await impact({ "README.md": "1\n" }, forTargets)).toContain(
      "no line of targets-paths names README.md",
    );
    await playground.close();
    expect(await impact({ Dockerfile: "1\n" }, forTargets)).toBe("the list of targets has the line ALL");
  });

  test("adds to the targets of targets-paths and of the build tool", async () => {
    const inputs = { provider: "npm", ...forTargets, "targets-paths": "none: **.md" };
    const changed = {
      "README.md": "1\n",
      "proto/a.proto": "1\n",
      "web/package.json": json({ name: "pages", version: "2.0.0" }),
    };
    expect(await impact(changed, inputs)).toEqual(["api", "pages", "shared"]);
  });

  test("can list the files that impact everything", async () => {
    const inputs = { provider: "npm", "impact-all-filters-path": ".github/filters.yml" };
    expect(await impact({ "api/server.ts": "1\n" }, inputs)).toBe(
      "the pull request changes api/server.ts, which .github/filters.yml names",
    );
  });

  test("is not used for a pull request that changes it, which impacts everything", async () => {
    const because = await impact({ ".github/filters.yml": "none: '**'\n" }, forTargets);
    expect(because).toBe("the pull request changes .github/filters.yml, which an input names");
  });

  test.each([
    ["api:\n  - added: x/**\n", "Types of change, such as `added`, are not supported"],
    ["api:\n  - '!x/**'\n", "which excludes files; name those files as `none`"],
    ["api:\n  - '+(a|b)/**'\n", "which is not valid"],
    ["- a\n", "has no names with globs"],
  ])("is rejected when it uses syntax that has another meaning here: %j", async (text, problem) => {
    expect(await impact({ "x/y": "1\n" }, forTargets, text)).toContain(problem);
  });

  test("is reported when it is missing", async () => {
    const because = await impact({ "x/y": "1\n" }, { "targets-filters-path": "no.yml" });
    expect(because).toContain("Give the path from the top");
  });
});
