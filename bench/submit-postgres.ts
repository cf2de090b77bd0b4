import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { createClient } from "../src/client/client.ts";
import { LocalPostgres } from "../tools/lab/postgres.ts";
import type { Benchmark } from "./benchmark.ts";
import { type Call, connections, Load } from "./load.ts";
import { baseOf, type LocalGitHub, repository } from "./local-github.ts";
import { startServerProcess } from "./server-process.ts";
import { createToken, startProcess } from "./service-under-load.ts";
import { callsPerRun, compare, numbers, readingTogether, runs, warmUp } from "./submit.ts";

const branches = 3;
const pullRequests = (warmUp + runs) * callsPerRun;

const about = `durable submitPullRequest on PostgreSQL, ${connections} connections, each time another pull request, in ${branches} queues.
GitHub answers the read at once, as in submit-known-github. The queues are paused.
submit-postgres           one service
submit-postgres-replicas  three services on one database, each with the requests of one queue
Floor: a bare Fastify, one durable row in PostgreSQL with group commit.`;

export const submitPostgres: Benchmark = {
  about,
  async *measure(tell) {
    await using resources = new AsyncDisposableStack();
    const { path } = resources.use(await mkdtempDisposable(`${tmpdir()}/trainyard-bench-`));
    const server = await LocalPostgres.create(path, { max_connections: 200 });
    resources.defer(() => server.stop());
    tell(`opening ${pullRequests} pull requests in a sandbox`);
    const sandbox = await startServerProcess<LocalGitHub>(
      "local-github.ts",
      `${pullRequests}`,
      `${branches}`,
    );
    const { url, env, userToken } = resources.use(sandbox).announced;
    const knowing = resources.use(await startServerProcess("remembering-github.ts", url)).announced.url;
    const floor = resources.use(
      await startServerProcess("submit-postgres-floor.ts", `${server.url}/postgres`),
    );
    using reader = new Load();
    const together = (run: number) =>
      readingTogether(knowing, userToken, numbers(run * callsPerRun, callsPerRun));
    await reader.run(Array.from({ length: warmUp + runs }, (_, run) => together(run)));

    for (const [name, replicas] of [
      ["submit-postgres", 1],
      ["submit-postgres-replicas", branches],
    ] as const) {
      tell(`${name}: ${runs} runs of ${callsPerRun}`);
      await using place = new AsyncDisposableStack();
      const databaseUrl = await server.createDatabase(name.replaceAll("-", "_"));
      const githubHost = new URL(knowing).host;
      const serviceEnv = { ...env, GHE_HOST: githubHost, DATABASE_URL: databaseUrl };
      const urls: string[] = [];
      while (urls.length < replicas) {
        const service = await startProcess(serviceEnv, path);
        place.defer(() => service.stop());
        urls.push(service.url);
      }
      const submission = await createQueues(urls, databaseUrl, githubHost);
      const bare = (pr: number) => ({ ...submission(pr), url: floor.announced.url });
      yield await compare(name, submission, bare);
    }
  },
};

/** Creates a queue for each branch. Returns the submission of a pull request to the service of its queue. */
async function createQueues(
  urls: readonly string[],
  databaseUrl: string,
  host: string,
): Promise<(pr: number) => Call> {
  const token = await createToken(databaseUrl);
  const repo = { host, ...repository };
  const client = createClient({ baseUrl: urls[0] ?? "", token });
  for (let index = 0; index < branches; index++)
    await client.createQueue({ repo, targetBranch: baseOf(index, branches), state: "paused" });
  return (pr) => ({
    method: "POST",
    url: `${urls[pr % urls.length]}/v1/submitPullRequest`,
    headers: { "content-type": "application/json", "x-api-token": token },
    body: JSON.stringify({ repo, targetBranch: baseOf(pr, branches), pr: { number: pr } }),
  });
}
