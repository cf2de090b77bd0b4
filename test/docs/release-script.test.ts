import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createReleaseRepository, type ReleaseRepository } from "./release-repository.ts";

let repository: ReleaseRepository;

beforeEach(async () => {
  repository = await createReleaseRepository();
});

afterEach(() => repository.remove());

const changelog = `# Changes

## Unreleased

- Later.

## 0.10.0 (2026-11-23)

Queues

- One.

### More

- Two.

## 0.1.0 (2026-01-02)

- The first.

## 0.0.9 (2026-01-01)

## 0.0.8 – in January

- No day.
`;

describe("the changelog's part", () => {
  beforeEach(() => repository.write("CHANGELOG.md", changelog));

  test("goes from the heading of the version to the next one", async () => {
    const { stdout } = await repository.release("notes", "v0.10.0");
    expect(stdout).toBe("Queues\n\n- One.\n\n### More\n\n- Two.\n");
    expect(await repository.release("notes", "v0.1.0")).toMatchObject({ code: 0, stdout: "- The first.\n" });
  });

  test.each([
    ["v0.1.1", 'CHANGELOG.md has no heading "## 0.1.1 (YYYY-MM-DD)".'],
    ["v0.10.1", 'CHANGELOG.md has no heading "## 0.10.1 (YYYY-MM-DD)".'],
    ["v0.0.8", 'CHANGELOG.md has no heading "## 0.0.8 (YYYY-MM-DD)".'],
    ["v0.0.9", "CHANGELOG.md says nothing of 0.0.9."],
  ])("is missed for %s", async (tag, stderr) => {
    expect(await repository.release("notes", tag)).toEqual({ code: 1, stdout: "", stderr: `${stderr}\n` });
  });
});

describe("the check", () => {
  test("lets a version pass that both files name", async () => {
    await repository.write("CHANGELOG.md", changelog);
    expect(await repository.release("check", "v0.1.0")).toMatchObject({ code: 0, stderr: "" });
  });

  test("refuses a version that package.json has not", async () => {
    await repository.write("CHANGELOG.md", changelog);
    const { code, stderr } = await repository.release("check", "v0.10.0");
    expect([code, stderr]).toEqual([1, "package.json has version 0.1.0, and the tag is v0.10.0.\n"]);
  });

  test("refuses a version that the changelog has not", async () => {
    const { code, stderr } = await repository.release("check", "v0.1.0");
    expect([code, stderr]).toEqual([1, 'CHANGELOG.md has no heading "## 0.1.0 (YYYY-MM-DD)".\n']);
  });

  test.each(["0.1.0", "v0.1", "v0.1.0-rc.1", "v00.1.0", "v0", "$(touch hacked)", "--help", ""])(
    "refuses the tag %j",
    async (tag) => {
      expect(await repository.release("check", tag)).toMatchObject({
        code: 1,
        stderr: `Not a tag of a version, such as v1.2.3: ${tag}\n`,
      });
    },
  );

  test("refuses another command", async () => {
    const { code, stderr } = await repository.release("publish", "v0.1.0");
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Usage: /)]);
  });
});

describe("the tag of the major version", () => {
  const tag = async (...names: string[]) => {
    for (const name of names) {
      await repository.git("commit", "--quiet", "--allow-empty", "--message", name);
      await repository.git("tag", "--annotate", name, "--message", name);
    }
    await repository.git("push", "--quiet", "origin", "main", ...names);
  };
  const move = async (name: string) => {
    await repository.git("checkout", "--quiet", name);
    return repository.release("move-major", name);
  };

  test("goes to the highest version by number, not by letters", async () => {
    await tag("v0.9.0", "v0.10.0");
    expect(await move("v0.9.0")).toMatchObject({
      code: 0,
      stdout: "v0 stays where it is: v0.10.0 is higher than v0.9.0.\n",
    });
    expect(await move("v0.10.0")).toMatchObject({ code: 0, stdout: "v0 is v0.10.0 now.\n" });
    expect(await repository.subjectAt("v0")).toBe("v0.10.0");
  });

  test("is not kept by other major versions, nor by what is no version", async () => {
    await tag("v0.2.1", "v0.2.0-rc.1", "v0.3.0-rc.1", "v1.0.0", "v10.0.0", "v0.9");
    expect(await move("v0.2.1")).toMatchObject({ code: 0, stdout: "v0 is v0.2.1 now.\n" });
    expect(await move("v1.0.0")).toMatchObject({ code: 0, stdout: "v1 is v1.0.0 now.\n" });
  });

  test("looks at origin, where a shallow clone has no other tags", async () => {
    await tag("v0.2.0", "v0.2.1");
    await repository.git("tag", "--delete", "v0.2.1");
    expect(await move("v0.2.0")).toMatchObject({ stdout: expect.stringMatching(/^v0 stays/) });
  });

  test("does not go to another commit than the one that was tested", async () => {
    await tag("v0.2.0");
    await repository.git("commit", "--quiet", "--allow-empty", "--message", "Untested");
    const { code, stderr } = await repository.release("move-major", "v0.2.0");
    expect([code, stderr]).toEqual([1, "v0.2.0 of origin is not the commit that is checked out.\n"]);
  });

  test("fails when origin refuses", async () => {
    await tag("v0.2.0");
    await repository.git("--git-dir=../origin.git", "config", "core.hooksPath", "hooks");
    await repository.write("../origin.git/hooks/pre-receive", "#!/bin/sh\nexit 1\n");
    await repository.run("chmod", ["+x", "../origin.git/hooks/pre-receive"]);
    expect((await move("v0.2.0")).code).not.toBe(0);
  });
});
