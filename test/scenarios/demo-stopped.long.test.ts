import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { drawBetween } from "../../tools/sandbox/seeded-draw.ts";
import { bareEnvironment, main } from "../cli/run-trainyard.ts";
import { processesWith } from "../lab/processes-of.ts";

/** How often the demo is stopped; `DEMO_STOPS=20` is a thorough run. */
const stops = Number(process.env.DEMO_STOPS ?? 2);
/** How long a stopped demo may take. People wait two seconds on a machine that has nothing else to do. */
const limitMs = Number(process.env.DEMO_STOP_LIMIT_MS ?? 12_000);
/** After this line the queue works. */
const working = "Watch the queue:";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-stopped-"));
});
afterEach(async () => {
  for (const one of await processesWith(directory)) process.kill(Number.parseInt(one, 10), "SIGKILL");
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

/** Runs a command as the leader of its own group, as a shell does. */
function start(...args: string[]) {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...args], {
    env: { ...bareEnvironment(), TRAINYARD_MAIN: main, TMPDIR: directory },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  const heard: (() => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      text += chunk;
      for (const one of heard.splice(0)) one();
    });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    ended,
    pid: child.pid,
    text: () => text,
    /** Ctrl-C: the terminal sends the signal to every process of the group. */
    interrupt: () => process.kill(-(child.pid ?? 0), "SIGINT"),
    kill: () => child.kill("SIGKILL"),
    async says(pattern: RegExp | string): Promise<void> {
      while (text.search(pattern) === -1) {
        const more = new Promise<void>((resolve) => heard.push(resolve));
        const isOver = await Promise.race([more.then(() => false), ended.then(() => true)]);
        if (isOver) throw new Error(`it ended before it said ${pattern}:\n${text}`);
      }
    },
  };
}

async function expectNothingLeft(): Promise<void> {
  // The system may take a moment to remove ended processes.
  for (let tries = 0; tries < 600 && (await processesWith(directory)).length > 0; tries++) await sleep(50);
  expect({ processes: await processesWith(directory), files: await readdir(directory) }).toEqual({
    processes: [],
    files: [],
  });
}

const noTrace = (text: string) => expect(text).not.toMatch(/unsettled|^\s+at .*:\d+:\d+|Error:/m);

test("Ctrl-C at any moment of the setup ends the demo with one sentence, and leaves no process and no folder", async () => {
  for (let stop = 0; stop < stops; stop++) {
    const demo = start("demo", "--prs", "12");
    await demo.says("Starting a local GitHub");
    await sleep(drawBetween(stop, [0, 6_000], "stop in the setup"));
    const began = performance.now();
    demo.interrupt();
    expect(await demo.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(limitMs);
    expect(demo.text()).toMatch(
      /Stopped during the setup\. No pull request has merged\.|pull requests have merged\./,
    );
    noTrace(demo.text());
    await expectNothingLeft();
  }
});

test("Ctrl-C while the queue works judges what has merged so far, and leaves no process and no folder", async () => {
  for (let stop = 0; stop < stops; stop++) {
    const demo = start("demo", "--prs", "12");
    await demo.says(working);
    await sleep(drawBetween(stop, [0, 15_000], "stop"));
    const began = performance.now();
    demo.interrupt();
    // `npm run` passes on the signal, too.
    demo.interrupt();
    expect(await demo.ended).toBe(0);
    expect(performance.now() - began).toBeLessThan(limitMs);
    expect(demo.text()).toContain("Stopping: judging what has merged so far");
    expect(demo.text()).toMatch(
      /\d+ of 12 pull requests have merged\. \d+ commits of main checked, 0 red\. Nothing is wrong so far\./,
    );
    noTrace(demo.text());
    await expectNothingLeft();
  }
});

test("a second Ctrl-C ends a demo that does not react to the first, and leaves no process and no folder", async () => {
  const demo = start("demo", "--prs", "12");
  await demo.says(working);
  const others = (await processesWith(directory)).filter((one) => !one.startsWith(`${demo.pid} `));
  const worker = others.find((one) => one.includes(`${main} demo`)) ?? "";
  process.kill(Number.parseInt(worker, 10), "SIGSTOP");
  demo.interrupt();
  await sleep(1_000);
  expect(await processesWith(directory)).toContainEqual(worker);
  // A process that gets two signals before it runs again sees one of them.
  for (let isOver = false; !isOver; ) {
    demo.interrupt();
    isOver = await Promise.race([demo.ended.then(() => true), sleep(1_000, false)]);
  }
  expect(await demo.ended).toBe(130);
  expect(demo.text()).toContain("Ended at once.");
  await expectNothingLeft();
});

test("a demo whose own process is killed without warning leaves no process and no folder", async () => {
  const demo = start("demo", "--prs", "12");
  await demo.says(working);
  demo.kill();
  await demo.ended;
  await expectNothingLeft();
});

test("Ctrl-C ends the sandbox, and leaves no process and no folder", async () => {
  const sandbox = start("sandbox");
  await sandbox.says("Ctrl-C ends it");
  sandbox.interrupt();
  expect(await sandbox.ended).toBe(0);
  noTrace(sandbox.text());
  await expectNothingLeft();
});
