import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark, Row } from "./benchmark.ts";
import { HealthWatch } from "./health-watch.ts";
import { hostileBodies } from "./hostile-bodies.ts";
import type { LocalGitHub } from "./local-github.ts";
import { LoopWatch } from "./loop-watch.ts";
import { PeakMemory } from "./peak-memory.ts";
import { sendPosts } from "./send-posts.ts";
import { startServerProcess } from "./server-process.ts";
import { startService } from "./service-under-load.ts";
import { percentile, toRow } from "./statistics.ts";

const runs = 3;
const idleMs = 2_000;
/** The service continues to work on a body after it has answered. */
const afterwardsMs = 1_000;
const mostMilliseconds = 100;
const mostHeldMs = 50;
const mostMegabytes = 400;

const about = `how long /healthz takes while bodies are sent that are to keep the service from everybody else: ${Object.keys(hostileBodies).join(", ")}.
hostile-NAME         the p99 of /healthz in milliseconds; required: at most ${mostMilliseconds}; the percentiles are of single answers
hostile-NAME-hold    how long the service's event loop is held at most; required: at most ${mostHeldMs}
hostile-NAME-memory  the most that is resident meanwhile; required: at most ${mostMegabytes} MB
Floor: the same of the service when nobody sends anything.
It fails when more is taken than is required.`;

export const hostile: Benchmark = {
  about,
  async *measure(tell) {
    await using resources = new AsyncDisposableStack();
    const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
    const github = resources.use(await startServerProcess<LocalGitHub>("local-github.ts", "1"));
    const { url, env, headSha } = github.announced;
    const loop = new LoopWatch(path);
    const service = resources.use(await startService(new URL(url).host, env, path, loop.env));
    const memory = new PeakMemory(service.pid);
    const victim = { ...service.sender, webhookSecret: String(env.WEBHOOK_SECRET), headSha };
    const idle = await watch(() => sleep(idleMs));
    const missed: string[] = [];
    for (const [name, bodies] of Object.entries(hostileBodies)) {
      const posts = bodies(victim);
      const latencies: number[] = [];
      const p99s: number[] = [];
      const holds: number[] = [];
      const peaks: number[] = [];
      for (let run = 0; run < runs; run++) {
        const some = await watch(async () => {
          await sendPosts(service.url, posts);
          await sleep(afterwardsMs);
        });
        latencies.push(...some.latencies);
        p99s.push(percentile(some.latencies, 0.99));
        holds.push(some.heldMs);
        peaks.push(some.megabytes);
      }
      tell(name);
      const floors = [percentile(idle.latencies, 0.99)];
      yield judged(
        toRow(`hostile-${name}`, "ms", { values: p99s, floors, singles: latencies }),
        mostMilliseconds,
      );
      const longest = { values: [Math.max(...holds)], floors: [idle.heldMs], singles: holds };
      yield judged(toRow(`hostile-${name}-hold`, "ms", longest), mostHeldMs);
      yield judged(
        toRow(`hostile-${name}-memory`, "MB", { values: peaks, floors: [idle.megabytes] }),
        mostMegabytes,
      );
    }
    if (missed.length > 0) throw new Error(missed.join("; "));

    async function watch(work: () => Promise<void>) {
      await memory.begin();
      const health = await HealthWatch.begin(service.url);
      await loop.longest(service.pid);
      await work();
      const { ms: heldMs } = await loop.longest(service.pid);
      return { latencies: await health.end(), megabytes: await memory.peak(), heldMs };
    }

    function judged(row: Row, most: number): Row {
      if (row.value > most) missed.push(`${row.name} is ${row.value} ${row.unit}`);
      return row;
    }
  },
};
