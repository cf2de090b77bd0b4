import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { readAppManifest, requireAppManifest } from "../../src/cli/app-manifest.ts";
import { permissionReasons } from "../../src/cli/setup/setup-page.ts";

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-manifest-"));
  path = join(directory, "app.yml");
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("the manifest of the package creates a private App with permissions and events", () => {
  expect(readAppManifest()).toMatchObject({
    manifest: {
      public: false,
      default_permissions: { contents: "write", pull_requests: "write" },
      default_events: expect.arrayContaining(["pull_request", "check_run"]),
    },
  });
});

describe("an App manifest is rejected if it", () => {
  const permissions = "default_permissions: { contents: write }";
  const events = "default_events: [push]";
  const head = "name: Yard\nurl: https://yard.example";
  for (const [fault, text] of [
    ["is empty", ""],
    ["is not YAML", "name: [\n"],
    ["has no permissions", `${head}\n${events}`],
    ["has an empty list of permissions", `${head}\ndefault_permissions: {}\n${events}`],
    ["has an unknown kind of access", `${head}\ndefault_permissions: { contents: all }\n${events}`],
    ["has no events", `${head}\n${permissions}\ndefault_events: []`],
  ] as const) {
    test(fault, async () => {
      await writeFile(path, text);
      expect(readAppManifest(path)).toEqual({
        code: "APP_MANIFEST_UNREADABLE",
        problem: expect.stringContaining(path),
      });
    });
  }

  test("does not exist", () => {
    expect(readAppManifest(path)).toMatchObject({
      code: "APP_MANIFEST_UNREADABLE",
      problem: expect.stringMatching(/no such file.*Restore this file/),
    });
  });
});

test("a manifest without the field public creates a private App", async () => {
  const lines = [
    "name: Yard",
    "url: https://yard.example",
    "default_permissions: { contents: write }",
    "default_events: [push]",
  ];
  await writeFile(path, lines.join("\n"));
  expect(readAppManifest(path)).toMatchObject({ manifest: { public: false } });
});

test("the set-up page has a reason for each permission that the App asks for, and for no other", () => {
  expect(Object.keys(permissionReasons).sort()).toEqual(
    Object.keys(requireAppManifest().default_permissions).sort(),
  );
});
