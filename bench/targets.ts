import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Benchmark } from "./benchmark.ts";
import type { LocalGitHub } from "./local-github.ts";
import { startServerProcess } from "./server-process.ts";
import { startService, type Upload } from "./service-under-load.ts";
import { toRow } from "./statistics.ts";

const runs = 25;
const warmUp = 8;
const bytes = 20 * 1024 * 1024;
/** Long enough for a process to read the bytes that were sent to it. */
const arrivalMs = 150;

const about = `durable setImpactedTargets with a body of 20 MiB, as large as one may be, on SQLite: from its last byte to the answer.
At most 3 times the floor is required.
Floor: JSON.parse of that body, and nothing else, in a process of its own that is started like the service.`;

export const targets: Benchmark = {
  about,
  async *measure(tell) {
    await using resources = new AsyncDisposableStack();
    const { path } = resources.use(await mkdtempDisposable(join(tmpdir(), "trainyard-bench-")));
    const github = resources.use(
      await startServerProcess<LocalGitHub>("local-github.ts", `${warmUp + runs}`),
    );
    const { url, env, headSha } = github.announced;
    const floor = resources.use(await startServerProcess("parse-floor.ts"));
    const service = resources.use(await startService(new URL(url).host, env, path));
    const values: number[] = [];
    const floors: number[] = [];
    tell(`${runs} runs`);
    for (let run = 0; run < warmUp + runs; run++) {
      const upload = service.upload(run + 1, headSha, bytes);
      const parsed = await send({ ...upload, url: floor.announced.url });
      const served = await send(upload);
      if (served.answer.targetsCount !== upload.count) throw new Error(JSON.stringify(served.answer));
      if (run < warmUp) continue;
      floors.push(Number(parsed.answer.ms));
      values.push(served.ms);
    }
    yield toRow("targets", "ms", { values, floors });
  },
};

/** Returns the time from the last byte to the answer. All other bytes arrive before, so that the network hardly counts. */
async function send({
  method,
  url,
  headers,
  body,
}: Upload): Promise<{ ms: number; answer: Record<string, unknown> }> {
  const sending = request(url, { method, headers: { ...headers, "content-length": body.length } });
  await new Promise((resolve) => sending.write(body.subarray(0, -1), resolve));
  await setTimeout(arrivalMs);
  const began = performance.now();
  sending.end(body.subarray(-1));
  const [response] = await once(sending, "response");
  const answer = (await json(response)) as Record<string, unknown>;
  return { ms: performance.now() - began, answer };
}
