import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const script = join(import.meta.dirname, "../../scripts/release.ts");

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A repository like this one with an origin, in a temporary folder. */
export interface ReleaseRepository {
  readonly directory: string;
  readonly run: (file: string, args: readonly string[], env?: Record<string, string>) => Promise<Ended>;
  /** Rejects when the command fails. */
  readonly git: (...args: string[]) => Promise<string>;
  readonly release: (...args: string[]) => Promise<Ended>;
  readonly write: (name: string, text: string) => Promise<void>;
  /** Adds a heading of the version to the unreleased part of the changelog. */
  readonly nameUnreleased: (version: string, notes: string) => Promise<void>;
  /** The subject of the commit that a ref of origin points to. */
  readonly subjectAt: (ref: string) => Promise<string>;
  readonly remove: () => Promise<void>;
}

export async function createReleaseRepository(): Promise<ReleaseRepository> {
  const directory = await mkdtemp(join(tmpdir(), "trainyard-release-"));
  const work = join(directory, "work");
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, GIT_CONFIG_GLOBAL: join(directory, "none") },
    ...{ GIT_AUTHOR_NAME: "Alice", GIT_AUTHOR_EMAIL: "alice@example.com" },
    ...{ GIT_COMMITTER_NAME: "Alice", GIT_COMMITTER_EMAIL: "alice@example.com" },
  };
  const run: ReleaseRepository["run"] = (file, args, more = {}) =>
    promisify(execFile)(file, args, { cwd: work, env: { ...env, ...more } }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Ended) => ({ code, stdout, stderr }),
    );
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await run("git", args);
    if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${stderr}`);
    return stdout.trim();
  };
  const changelog = join(work, "CHANGELOG.md");
  await mkdir(join(work, "scripts"), { recursive: true });
  await cp(script, join(work, "scripts/release.ts"));
  await writeFile(
    join(work, "package.json"),
    '{ "name": "trainyard", "version": "0.1.0", "type": "module" }\n',
  );
  await writeFile(changelog, "# Changes\n\n## Unreleased\n");
  await git("init", "--quiet", "--bare", "../origin.git");
  await git("init", "--quiet", "--initial-branch=main");
  await git("remote", "add", "origin", "../origin.git");
  await git("add", "--all");
  await git("commit", "--quiet", "--message", "Begin");
  return {
    ...{ directory, run, git },
    release: (...args) => run("node", ["scripts/release.ts", ...args]),
    write: (name, text) => writeFile(join(work, name), text),
    nameUnreleased: async (version, notes) => {
      const text = await readFile(changelog, "utf8");
      const named = `## Unreleased\n\n## ${version} (2026-11-23)\n\n${notes}\n`;
      await writeFile(changelog, text.replace("## Unreleased\n", named));
    },
    subjectAt: (ref) => git("--git-dir=../origin.git", "log", "-1", "--format=%s", ref),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
