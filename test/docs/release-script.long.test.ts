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

describe("the release notes from the changelog", () => {
  beforeEach(() => repository.write("CHANGELOG.md", changelog));

  test("go from the version's heading to the next one", async () => {
    const { stdout } = await repository.release("notes", "v0.10.0");
    expect(stdout).toBe("Queues\n\n- One.\n\n### More\n\n- Two.\n");
    expect(await repository.release("notes", "v0.1.0")).toMatchObject({ code: 0, stdout: "- The first.\n" });
  });

  test.each([
    ["v0.1.1", 'CHANGELOG.md has no heading "## 0.1.1 (YYYY-MM-DD)".'],
    ["v0.10.1", 'CHANGELOG.md has no heading "## 0.10.1 (YYYY-MM-DD)".'],
    ["v0.0.8", 'CHANGELOG.md has no heading "## 0.0.8 (YYYY-MM-DD)".'],
    ["v0.0.9", "CHANGELOG.md says nothing of 0.0.9."],
  ])("are missing for %s", async (tag, stderr) => {
    expect(await repository.release("notes", tag)).toEqual({ code: 1, stdout: "", stderr: `${stderr}\n` });
  });
});

describe("the release check", () => {
  test("passes for a version that package.json and the changelog have", async () => {
    await repository.write("CHANGELOG.md", changelog);
    expect(await repository.release("check", "v0.1.0")).toMatchObject({ code: 0, stderr: "" });
  });

  test("rejects a version other than that of package.json", async () => {
    await repository.write("CHANGELOG.md", changelog);
    const { code, stderr } = await repository.release("check", "v0.10.0");
    expect([code, stderr]).toEqual([1, "package.json has version 0.1.0, and the tag is v0.10.0.\n"]);
  });

  test("rejects a version that the changelog does not have", async () => {
    const { code, stderr } = await repository.release("check", "v0.1.0");
    expect([code, stderr]).toEqual([1, 'CHANGELOG.md has no heading "## 0.1.0 (YYYY-MM-DD)".\n']);
  });

  test.each(["0.1.0", "v0.1", "v0.1.0-rc.1", "v00.1.0", "v0", "$(touch hacked)", "--help", ""])(
    "rejects the tag %j",
    async (tag) => {
      expect(await repository.release("check", tag)).toMatchObject({
        code: 1,
        stderr: `Not a tag of a version, such as v1.2.3: ${tag}\n`,
      });
    },
  );

  test("rejects an unknown command", async () => {
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

  test("moves to the highest version by number, not alphabetically", async () => {
    await tag("v0.9.0", "v0.10.0");
    expect(await move("v0.9.0")).toMatchObject({
      code: 0,
      stdout: "v0 stays where it is: v0.10.0 is higher than v0.9.0.\n",
    });
    expect(await move("v0.10.0")).toMatchObject({ code: 0, stdout: "v0 is v0.10.0 now.\n" });
    expect(await repository.subjectAt("v0")).toBe("v0.10.0");
  });

  test("ignores other major versions and tags that are not a version", async () => {
    await tag("v0.2.1", "v0.2.0-rc.1", "v0.3.0-rc.1", "v1.0.0", "v10.0.0", "v0.9");
    expect(await move("v0.2.1")).toMatchObject({ code: 0, stdout: "v0 is v0.2.1 now.\n" });
    expect(await move("v1.0.0")).toMatchObject({ code: 0, stdout: "v1 is v1.0.0 now.\n" });
  });

  test("is compared with the tags of origin, because a shallow clone lacks other tags", async () => {
    await tag("v0.2.0", "v0.2.1");
    await repository.git("tag", "--delete", "v0.2.1");
    expect(await move("v0.2.0")).toMatchObject({ stdout: expect.stringMatching(/^v0 stays/) });
  });

  test("moves only to the commit that was tested", async () => {
    await tag("v0.2.0");
    await repository.git("commit", "--quiet", "--allow-empty", "--message", "Untested");
    const { code, stderr } = await repository.release("move-major", "v0.2.0");
    expect([code, stderr]).toEqual([1, "v0.2.0 of origin is not the commit that is checked out.\n"]);
  });

  test("cannot be moved when origin rejects the push", async () => {
    await tag("v0.2.0");
    await repository.git("--git-dir=../origin.git", "config", "core.hooksPath", "hooks");
    await repository.write("../origin.git/hooks/pre-receive", "#!/bin/sh\nexit 1\n");
    await repository.run("chmod", ["+x", "../origin.git/hooks/pre-receive"]);
    expect((await move("v0.2.0")).code).not.toBe(0);
  });
});
