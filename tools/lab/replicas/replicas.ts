import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/store/sqlite/open-store.ts";
import { type KnownOptions, type ValuesOf, wholeOption } from "../../command-options.ts";
import { countEnded, findEntry, tellProgress } from "../demo/follow-entries.ts";
import { type DemoResult, describeRun } from "../demo/result.ts";
import { type RunningDemo, runDemo } from "../demo/run-demo.ts";
import { minPullRequests } from "../demo/scenario.ts";
import { type Counts, killAtRandom, pausesUntil } from "../disturbances.ts";
import type { Experiment, ExperimentOptions } from "../experiment.ts";
import { LocalPostgres, withClient } from "../postgres.ts";
import { deployReplicas } from "../service/replica-set.ts";

const about = `Runs the demo on several services that share one PostgreSQL server, behind a balancer that sends each request and each
webhook to any of them. Replicas are killed (SIGKILL) and replaced, and the server crashes and recovers. At the end
everything must be as the truth demands, and no two replicas may have held one piece of work at the same time.`;

const known = {
  prs: { value: "n", default: "100", about: `how many pull requests (at least ${minPullRequests})` },
  replicas: { value: "n", default: "3", about: "how many services" },
  kills: { value: "n", about: "kills of a replica (default: one for every 5 pull requests)" },
  crashes: { value: "n", default: "2", about: "crashes of the database server" },
  concurrency: { value: "n", default: "8", about: "tests at once" },
  seed: { value: "n", default: "1", about: "decides what is killed when" },
  json: { about: "print the result as one line of JSON" },
} as const satisfies KnownOptions;

function parse(values: ValuesOf<typeof known>): ReplicasOptions & ExperimentOptions {
  const pullRequests = wholeOption("prs", values.prs, minPullRequests, 500);
  return {
    pullRequests,
    replicas: wholeOption("replicas", values.replicas, 1, 20),
    kills:
      values.kills === undefined ? Math.ceil(pullRequests / 5) : wholeOption("kills", values.kills, 0, 1_000),
    crashes: wholeOption("crashes", values.crashes, 0, 100),
    concurrency: wholeOption("concurrency", values.concurrency, 1, 100),
    seed: wholeOption("seed", values.seed, 0, 2 ** 31),
    killEveryMs: [2_000, 6_000],
    ciDurationMs: [600, 1_200],
    patienceMs: 300_000,
    json: values.json,
  };
}

export const replicas: Experiment<typeof known, ReplicasOptions & ExperimentOptions> = {
  ...{ about, known, parse },
  async play(options, report) {
    const result = await runReplicas({ ...options, progress: report.progress });
    const name = `seed ${options.seed}`;
    report.run({ name, line: describeRun(result), violations: result.violations, json: result });
    return `${options.replicas} replicas`;
  },
};

export interface ReplicasOptions {
  readonly pullRequests: number;
  readonly seed: number;
  readonly replicas: number;
  /** Kills of a replica. */
  readonly kills: number;
  /** The time between two kills, from and to. */
  readonly killEveryMs: readonly [number, number];
  /** Crashes of the database server. */
  readonly crashes: number;
  readonly ciDurationMs: readonly [number, number];
  readonly concurrency: number;
  /** If no pull request ends for this time, the remaining ones are stuck. */
  readonly patienceMs: number;
  readonly progress?: (text: string) => void;
}

/** Runs the demo on several replicas and one PostgreSQL server, kills both, and judges the outcome. */
export async function runReplicas(options: ReplicasOptions): Promise<DemoResult> {
  const { seed, replicas, kills, progress = () => {} } = options;
  await using directory = await mkdtempDisposable(join(tmpdir(), "trainyard-postgres-"));
  const server = await LocalPostgres.create(directory.path, { max_connections: 200 });
  const databaseUrl = `${server.url}/postgres`;
  try {
    await (await openStore(databaseUrl)).close();
    await watchClaims(databaseUrl);
    const { pullRequests, concurrency, ciDurationMs, patienceMs } = options;
    return await runDemo({
      ...{ pullRequests, seed, concurrency, ciDurationMs, patienceMs },
      ...{ mergeMethod: "merge_commit", mode: "single", batch: false, port: null, dropWebhooks: 0 },
      passedPerUpload: 4,
      // Webhooks that come while a replica is dead are lost, and polling needs a replica that lives long enough. On a busy
      // machine, replicas take longer to start than the time between two kills.
      ...{ tidyMs: 60_000, graceMs: 180_000 },
      settings: leases,
      deploy: (place) => deployReplicas({ ...place, databaseUrl, replicas, seed }),
      watch: (demo) => tellProgress(demo, progress),
      disturbances: [
        killAtRandom({ kills, seed, everyMs: options.killEveryMs }),
        (demo) => crashByProgress(demo, server, options.crashes),
      ],
      judges: [() => findDoubleClaims(databaseUrl)],
    });
  } finally {
    await server.stop();
  }
}

/** A killed replica's work waits until its lease ends. */
const leases = { TRAINYARD_LEASE_MS: "3000", TRAINYARD_RECONCILE_MS: "4000" };

/**
 * Crashes the database server and starts it again whenever a further share of the pull requests has ended: with two crashes, at one third
 * and at two thirds.
 */
async function crashByProgress(
  { finished, pullRequests, client, queue }: RunningDemo,
  server: LocalPostgres,
  crashes: number,
): Promise<Counts> {
  const { pause, isOver } = pausesUntil(finished);
  for (let crash = 0; crash < crashes; ) {
    await pause(crashCheckMs);
    if (isOver()) return { crashes: crash };
    const ended = await countEnded((pr) => findEntry(client, queue, pr), pullRequests);
    if (ended / pullRequests.length < (crash + 1) / (crashes + 1)) continue;
    await server.crash();
    await server.start();
    crash += 1;
  }
  return { crashes };
}

/** The interval of checks, each of which reads every pull request. */
const crashCheckMs = 2_000;

/**
 * Makes the database itself watch the claims of work, independent of the service's own view. A claim is double if another one has neither
 * been ended by its owner nor expired.
 */
const watching = `
  create table double_claims (at timestamptz default now(), content text, first text, second text);
  create function note_double_claim() returns trigger language plpgsql as $$
  begin
    insert into double_claims (content, first, second) values (old.content, old.lease_owner, new.lease_owner);
    return new;
  end $$;
  create trigger watch_claims before update on outbox for each row
    when (old.lease_owner is not null and new.lease_owner is not null
      and old.lease_owner <> new.lease_owner and old.lease_until > new.claimed_at)
    execute function note_double_claim();
  create trigger watch_claims before update on inbox for each row
    when (old.lease_owner is not null and new.lease_owner is not null
      and old.lease_owner <> new.lease_owner and old.lease_until > new.claimed_at)
    execute function note_double_claim();
`;

export async function watchClaims(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(watching));
}

/** Describes the claims that two replicas held at the same time. */
export async function findDoubleClaims(databaseUrl: string): Promise<readonly string[]> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ content: string; first: string; second: string }>("select * from double_claims"),
  );
  return rows.map(
    ({ content, first, second }) => `${first} and ${second} both held ${content.slice(0, 200)}`,
  );
}
