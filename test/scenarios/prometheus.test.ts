import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { parsePrometheus } from "../api/prometheus.ts";
import { eventually } from "./eventually.ts";
import { Stage } from "./stage.ts";

/** The installed version of Prometheus, as from Debian's package `prometheus`; null if there is none. */
const installed = versionOf(spawnSync("prometheus", ["--version"], { encoding: "utf8" }));

function versionOf({
  error,
  stdout,
  stderr,
}: ReturnType<typeof spawnSync>): readonly [number, number] | null {
  const [, major, minor] = /prometheus, version (\d+)\.(\d+)/.exec(`${stdout}${stderr}`) ?? [];
  return error || major === undefined ? null : [Number(major), Number(minor)];
}

/** Prometheus can send custom headers since 2.55. */
const sendsOwnHeaders = installed !== null && (installed[0] > 2 || installed[1] >= 55);

const ways: [name: string, section: (tokenFile: string) => string][] = [
  [
    "with the token in a file, as Authorization: Bearer",
    (file) => `authorization: { type: Bearer, credentials_file: ${file} }`,
  ],
  ...(sendsOwnHeaders
    ? [
        [
          "with the token in a file, as x-api-token",
          (file: string) => `http_headers: { x-api-token: { files: [${file}] } }`,
        ] as [string, (file: string) => string],
      ]
    : []),
];

let stage: Stage;
let directory: string | null = null;
let prometheus: ChildProcess | null = null;

afterEach(async () => {
  if (prometheus && prometheus.exitCode === null) {
    const exit = once(prometheus, "exit");
    prometheus.kill("SIGTERM");
    await exit;
  }
  prometheus = null;
  if (directory) await rm(directory, { recursive: true, force: true });
  directory = null;
  await stage.close();
});

/** Starts Prometheus to scrape a service. Returns its URL. */
async function startPrometheus(target: string, section: (tokenFile: string) => string): Promise<string> {
  directory = await mkdtemp(join(tmpdir(), "trainyard-prometheus-"));
  const tokenFile = join(directory, "token");
  await writeFile(tokenFile, stage.token);
  const config = join(directory, "prometheus.yml");
  await writeFile(
    config,
    `scrape_configs:
  - job_name: trainyard
    scrape_interval: 1s
    metrics_path: /v1/getMergeQueueMetrics
    ${section(tokenFile)}
    static_configs: [{ targets: ["${target}"] }]
`,
  );
  const port = await freePort();
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  prometheus = spawn("prometheus", args, { stdio: "ignore" });
  return `http://127.0.0.1:${port}`;
}

/** The value of an expression that has one; null while it has none. */
async function query(url: string, expression: string): Promise<number | null> {
  try {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = (await response.json()) as { data?: { result: { value: [number, string] }[] } };
    return data?.result.length === 1 ? Number(data.result[0]?.value[1]) : null;
  } catch {
    // Not up yet.
    return null;
  }
}

async function openStage(): Promise<void> {
  stage = await Stage.open({ queue: { state: "paused" } });
  const pr = await stage.openPullRequest("one");
  await stage.client.submitPullRequest({ ...stage.queue, pr: { number: pr } });
}

if (installed === null) {
  test("the metrics can be read with the token as Bearer, as by a scrape (no Prometheus is installed)", async () => {
    await openStage();
    const headers = { authorization: `Bearer ${stage.token}` };
    const page = await fetch(`${stage.url}/v1/getMergeQueueMetrics`, { headers });
    const depth = parsePrometheus(await page.text()).find(({ name }) => name === "mq_depth_current");
    expect(depth?.value).toBe(1);
  });
} else {
  describe(`Prometheus ${installed.join(".")}`, () => {
    test.each(ways)("scrapes the service %s", async (_how, section) => {
      await openStage();
      const url = await startPrometheus(new URL(stage.url).host, section);
      await eventually(async () => ((await query(url, "up")) === 1 ? true : null), "up to be 1", 60_000);
      const depth = 'mq_depth_current{repo="acme/widgets",branch="main",queue_type="main"}';
      await eventually(async () => ((await query(url, depth)) === 1 ? true : null), depth, 60_000);
      const outbox = await query(url, 'trainyard_outbox_depth{organisation="acme"}');
      expect(outbox).toBeGreaterThanOrEqual(0);
    });
  });
}
