import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { createReleaseRepository, type ReleaseRepository } from "./release-repository.ts";
import type { Job } from "./snippets.ts";

const root = join(import.meta.dirname, "../..");
let repository: ReleaseRepository;

beforeEach(async () => {
  repository = await createReleaseRepository();
  const bin = join(repository.directory, "bin");
  await mkdir(bin);
  // A stub of gh that knows the releases it has created.
  await writeFile(
    join(bin, "gh"),
    `#!/bin/sh
releases=${JSON.stringify(join(repository.directory, "releases"))}
case "$2" in
view) test -e "$releases-$3" ;;
create) printf '%s\\n' "$@" >> "$releases"; cat "$8" > "$releases-$3" ;;
esac
`,
  );
  await chmod(join(bin, "gh"), 0o755);
});

afterEach(() => repository.remove());

/** Runs commands from the page. */
async function runPage(part: RegExp, version: string, branch?: string): Promise<void> {
  const page = await readFile(join(root, "docs/how-to/releasing.md"), "utf8");
  const [, commands = ""] = part.exec(page) ?? [];
  expect(commands).toMatch(/git push/);
  const env = { VERSION: version, ...(branch === undefined ? {} : { BRANCH: branch }) };
  expect(await repository.run("bash", ["-euc", commands], env)).toMatchObject({ code: 0 });
}

/** Runs the steps of the workflow after the tests have passed. */
async function runReleaseJob(tag: string): Promise<void> {
  const { jobs } = parse(await readFile(join(root, ".github/workflows/release.yml"), "utf8")) as {
    jobs: Record<string, Job>;
  };
  await repository.git("checkout", "--quiet", tag);
  const scripts = [jobs.check, jobs.release].flatMap((job) => job?.steps ?? []).map(({ run }) => run);
  for (const script of scripts.filter((run) => run !== undefined)) {
    const env = {
      ...{ TAG: tag, RUNNER_TEMP: repository.directory, GH_TOKEN: "token" },
      PATH: `${join(repository.directory, "bin")}:${process.env.PATH}`,
    };
    expect(await repository.run("bash", ["-e", "-c", script], env)).toMatchObject({ code: 0 });
  }
}

async function release(version: string, branch?: string): Promise<void> {
  await repository.nameUnreleased(version, `- What ${version} changes.`);
  await runPage(/```sh\n(.*?)```/s, version, branch);
  await runReleaseJob(`v${version}`);
}

test("the page and the workflow create releases, and move the tag that workflows use", async () => {
  await release("0.2.0");
  expect(await repository.subjectAt("v0")).toBe("Release 0.2.0");
  await release("0.3.0");
  expect(await repository.subjectAt("v0")).toBe("Release 0.3.0");
  await release("1.0.0");
  expect(await repository.subjectAt("main")).toBe("Release 1.0.0");
  expect(await repository.subjectAt("v1")).toBe("Release 1.0.0");
  expect(await repository.subjectAt("v0")).toBe("Release 0.3.0");
  expect(await repository.subjectAt("v0.2.0")).toBe("Release 0.2.0");
  expect(await readFile(join(repository.directory, "releases-v0.3.0"), "utf8")).toBe(
    "- What 0.3.0 changes.\n",
  );

  await repository.git("checkout", "--quiet", "v0.2.0");
  await release("0.2.1", "0.2");
  expect(await repository.subjectAt("0.2")).toBe("Release 0.2.1");
  expect(await repository.subjectAt("v0")).toBe("Release 0.3.0");
});

test("the release job can be repeated after it created the release and then failed", async () => {
  await release("0.2.0");
  await repository.git("push", "--quiet", "origin", ":v0");
  await runReleaseJob("v0.2.0");
  expect(await repository.subjectAt("v0")).toBe("Release 0.2.0");
  const made = await readFile(join(repository.directory, "releases"), "utf8");
  expect(made.match(/^create$/gm)).toHaveLength(1);
});

test("the page's commands move the tag, and delete a tag whose tests failed", async () => {
  await release("0.2.0");
  await repository.git("push", "--quiet", "origin", ":v0");
  await runPage(/`(git push --force .*?)`/, "0.2.0");
  expect(await repository.subjectAt("v0")).toBe("Release 0.2.0");
  await runPage(/`(git push origin ":.*?)`/, "0.2.0");
  expect(await repository.git("ls-remote", "--tags", "origin")).not.toMatch(/v0\.2\.0/);
});
