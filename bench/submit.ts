import { mkdir, mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textOf } from "../src/github/client/repository-api.ts";
import { groupQuery } from "../src/github/pull-requests/pull-request-group.ts";
import type { Benchmark, Row } from "./benchmark.ts";
import { type Call, connections, Load } from "./load.ts";
import { type LocalGitHub, repository } from "./local-github.ts";
import { startServerProcess } from "./server-process.ts";
import { startService } from "./service-under-load.ts";
import { toRow } from "./statistics.ts";

export const runs = 7;
export const warmUp = 3;
export const callsPerRun = 500;
/** A bare server is faster, and a run must last long enough to be measured. */
const floorCallsPerRun = 3_000;
const pullRequests = (warmUp + runs) * callsPerRun;

const about = `durable submitPullRequest on SQLite, ${connections} connections, each time another pull request.
Every submission reads its pull request from GitHub, those that come together in one call. The queue is paused; comments
are written meanwhile, as many as github.com permits.
submit               GitHub is the sandbox, a process on the same machine, and is waited for
submit-known-github  GitHub answers the read at once: what Trainyard itself takes
submit-github-read   that read alone, from the sandbox, each pull request by itself
Floor: a bare Fastify, one durable row in SQLite with group commit; of the read: the same answer from a bare server.`;

export const submit: Benchmark = {
  about,
  async *measure(tell) {
    await using resources = new AsyncDisposableStack();
    const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
    tell(`opening ${pullRequests} pull requests in a sandbox`);
    const github = resources.use(await startServerProcess<LocalGitHub>("local-github.ts", `${pullRequests}`));
    const { url, env, userToken } = github.announced;
    const knowing = resources.use(await startServerProcess("remembering-github.ts", url));
    const floor = resources.use(await startServerProcess("submit-floor.ts", join(path, "floor.db")));
    const readFrom = (base: string) => (pr: number) => reading(base, userToken, pr);
    using reader = new Load();
    await reader.run(numbers(0, pullRequests).map(readFrom(knowing.announced.url)));
    const together = (first: number) =>
      readingTogether(knowing.announced.url, userToken, numbers(first, callsPerRun));
    await reader.run(Array.from({ length: warmUp + runs }, (_, run) => together(run * callsPerRun)));

    for (const [name, githubUrl] of [
      ["submit", url],
      ["submit-known-github", knowing.announced.url],
    ] as const) {
      tell(`${name}: ${runs} runs of ${callsPerRun}`);
      const directory = join(path, name);
      await mkdir(directory);
      await using service = await startService(new URL(githubUrl).host, env, directory);
      const bare = (pr: number) => ({ ...service.submission(pr), url: floor.announced.url });
      yield await compare(name, service.submission, bare);
    }
    tell("submit-github-read");
    yield await compare("submit-github-read", readFrom(url), readFrom(knowing.announced.url));
  },
};

/** Alternates the runs, so that other work on the machine affects both equally. The first ones are the warm-up. */
export async function compare(
  name: string,
  ours: (pr: number) => Call,
  bare: (pr: number) => Call,
): Promise<Row> {
  using floorLoad = new Load();
  using ownLoad = new Load();
  const values: number[] = [];
  const floors: number[] = [];
  const singles: number[] = [];
  for (let run = 0; run < warmUp + runs; run++) {
    const floor = await floorLoad.run(numbers(0, floorCallsPerRun).map(bare));
    const measured = await ownLoad.run(numbers(run * callsPerRun, callsPerRun).map(ours));
    if (run < warmUp) continue;
    floors.push(floor.perSecond);
    values.push(measured.perSecond);
    singles.push(...measured.latencies);
  }
  return toRow(name, "requests/s", { values, floors, singles });
}

function reading(githubUrl: string, token: string, pr: number): Call {
  const path = `/api/v3/repos/${repository.owner}/${repository.name}/pulls/${pr}`;
  const headers = { authorization: `token ${token}`, accept: "application/vnd.github.v3+json" };
  return { method: "GET", url: githubUrl + path, headers };
}

/** Reads several pull requests in one call, like the service when they are submitted together. */
export function readingTogether(githubUrl: string, token: string, prs: readonly number[]): Call {
  const variables = { owner: repository.owner, repo: repository.name };
  return {
    method: "POST",
    url: `${githubUrl}/api/graphql`,
    headers: { authorization: `token ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ query: textOf(groupQuery(prs)), variables }),
  };
}

/** Returns the numbers of `count` pull requests, after the first `after` ones. */
export function numbers(after: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => after + index + 1);
}
