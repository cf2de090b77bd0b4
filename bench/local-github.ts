/** A sandbox with a given number of open, mergeable pull requests, in a separate process. It sends no webhooks. */
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenForStop, untilStopped } from "../src/cli/signals.ts";
import { createOctokit } from "../tools/lab/demo/authors.ts";
import { LocalRepository } from "../tools/lab/local-repository.ts";
import { startSandbox } from "../tools/sandbox/start-sandbox.ts";
import type { Announcement } from "./server-process.ts";

export interface LocalGitHub extends Announcement {
  readonly host: string;
  /** The environment that the service needs to serve it. */
  readonly env: Readonly<Record<string, string>>;
  readonly userToken: string;
  /** The head of every pull request. */
  readonly headSha: string;
}

export const repository = { owner: "acme", name: "widgets" };

/** The base of a pull request, if there are so many target branches. */
export const baseOf = (pr: number, branches: number): string =>
  pr % branches === 0 ? "main" : `release-${pr % branches}`;

if (import.meta.main) await serve(Number(process.argv[2]), Number(process.argv[3] ?? 1));

async function serve(pullRequests: number, branches: number): Promise<void> {
  const sandbox = await startSandbox();
  const alice = sandbox.createUser({ login: "alice", permission: "write" });
  const { gitUrl } = await sandbox.createRepository({ ...repository, files: { "README.md": "" }, ci: null });
  {
    await using directory = await mkdtempDisposable(join(tmpdir(), "trainyard-bench-"));
    const local = await LocalRepository.clone(gitUrl, join(directory.path, "clone"), alice);
    await local.branch("change", "origin/main", { "change.txt": "Changed.\n" }, "Change something");
    await openAll(local, alice.token);
  }
  await sandbox.settled();
  const announcement: LocalGitHub = {
    url: sandbox.url,
    host: sandbox.host,
    env: { ...sandbox.env },
    userToken: alice.token,
    headSha: await headOf(1),
  };
  console.log(JSON.stringify(announcement));
  await untilStopped(listenForStop());
  await sandbox.close();

  async function headOf(pull_number: number): Promise<string> {
    const { owner, name: repo } = repository;
    const { data } = await createOctokit(sandbox.url, alice.token).rest.pulls.get({
      owner,
      repo,
      pull_number,
    });
    return data.head.sha;
  }

  /**
   * Opens the pull requests. Each has its own branch. All branches have the same commit, which makes no difference to a
   * submission.
   */
  async function openAll(local: LocalRepository, token: string): Promise<void> {
    const heads = Array.from({ length: pullRequests }, (_, index) => `change-${index + 1}`);
    await local.push(...heads.map((head) => `change:refs/heads/${head}`));
    const octokit = createOctokit(sandbox.url, token);
    const { owner, name: repo } = repository;
    const bases = Array.from({ length: branches - 1 }, (_, index) => baseOf(index + 1, branches));
    if (bases.length > 0) await local.push(...bases.map((base) => `origin/main:refs/heads/${base}`));
    for (const [index, head] of heads.entries()) {
      const base = baseOf(index + 1, branches);
      await octokit.rest.pulls.create({ owner, repo, base, head, title: `Make ${head}` });
    }
  }
}
