import { hash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { type TestName, type TestScope, testIdOf } from "../../src/flaky/identity.ts";

const example: TestName = {
  file: "src/lib.rs",
  classname: "ExampleClass",
  parent: "parent/fact/path",
  name: "example_name",
};
const given = "a6e84936-3ee9-57d5-b041-ae124896f654";

describe("the id of a test", () => {
  test("is the one that the official uploader computes", () => {
    const named = { file: "file", classname: "class_name", parent: "parent_name", name: "test_name" };
    const scope = { organization: "org_slug", repository: "host/owner/name", variant: "" };
    expect(idOf(named, scope)).toBe("aad1f138-09ab-5ea9-9c21-af48a03d6edd");
  });

  test("treats the fields that a report lacks as empty", () => {
    const path = "modules/settings/repoName/__tests__/ticketing-integration.vitest.tsx";
    const name = "Ticketing Integration > should allow you to select a ticketing system";
    const scope = { organization: "trunk-staging-org", repository: "github.com/trunk-io/trunk", variant: "" };
    expect(idOf({ file: null, classname: path, parent: path, name }, scope)).toBe(
      "3f507aef-e834-523b-a8ad-edaba6b137be",
    );
  });

  test("is the id in the report when that is valid", () => {
    expect(idOf(example, exampleScope(""), given)).toBe(given);
  });

  test("is computed from a valid id in the report and the variant", () => {
    expect(idOf(example, exampleScope("unix"), given)).toBe("8057218b-95e4-5373-afbe-c366d4058615");
  });

  test("is computed from an id in the report that begins with trunk: instead of the names", () => {
    expect(idOf(example, exampleScope("unix"), "trunk:12345")).toBe("4392f63c-8dc9-5cec-bbdc-e7b90c2e5a6b");
  });

  test("ignores an id in the report that is not a UUID of version 5", () => {
    expect(idOf(example, exampleScope("unix"), "08e1c642-3a55-45cf-8bf9-b9d0b21785dd")).toBe(
      "c869cb93-66e2-516d-a0ea-15ff4b413c3f",
    );
  });

  test("hashes a variant again with the id that the names and the variant give", () => {
    const once = "c869cb93-66e2-516d-a0ea-15ff4b413c3f";
    expect(idOf(example, exampleScope("unix"))).toBe(idOf(example, exampleScope("unix"), once));
  });

  test.each(["file", "classname", "parent", "name"] as const)("depends on its %s", (field) => {
    expect(idOf({ ...example, [field]: "other" }, exampleScope(""))).not.toBe(
      idOf(example, exampleScope("")),
    );
  });
});

function exampleScope(variant: string): TestScope {
  return { organization: "example_org", repository: "example_repo", variant };
}

function idOf(test: TestName, scope: TestScope, known?: string): string {
  return testIdOf(test, scope, (algorithm, bytes) => hash(algorithm, bytes, "hex"), known);
}
