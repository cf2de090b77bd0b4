import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { bareEnvironment, main } from "../cli/run-trainyard.ts";
import { processesWith } from "../lab/processes-of.ts";

const [columns, rows] = [80, 24];
const ctrlC = "\x03";

let directory: string;
let terminal: ChildProcess;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-terminal-"));
  const rewritten = '[url "http://elsewhere.invalid/"]\n\tinsteadOf = http://127.0.0.1\n';
  await writeFile(join(directory, ".gitconfig"), `[commit]\n\tgpgSign = true\n${rewritten}`);
});
afterEach(async () => {
  terminal.kill("SIGKILL");
  for (const one of await processesWith(directory)) process.kill(Number.parseInt(one, 10), "SIGKILL");
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
});

/** What a developer's machine may have: a proxy, a configuration of git, and a hook of git that starts the demo. */
const developer = () => ({ HOME: directory, GIT_DIR: "/nowhere", http_proxy: "http://127.0.0.1:9" });

/** Runs the demo in a terminal of 80 by 24 characters, which util-linux's `script` creates. */
function openTerminal(...args: string[]) {
  const demo = [process.execPath, "--disable-warning=ExperimentalWarning", main, "demo", ...args].join(" ");
  const child = spawn("script", ["-qfec", `stty rows ${rows} cols ${columns}; exec ${demo}`, "/dev/null"], {
    env: {
      ...bareEnvironment(),
      TRAINYARD_MAIN: main,
      ...developer(),
      TMPDIR: directory,
      TERM: "xterm",
      SHELL: "/bin/sh",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  terminal = child;
  const output = { text: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    output.text += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const shows = async (pattern: RegExp) => {
    while (!pattern.test(output.text)) {
      const isOver = await Promise.race([ended.then(() => true), soon().then(() => false)]);
      if (isOver) throw new Error(`it ended before it showed ${pattern}:\n${output.text}`);
    }
  };
  return { output, ended, shows, type: (keys: string) => child.stdin.write(keys) };
}

const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 50));

/** What was drawn at once: each drawing erases everything below its start. */
const drawings = (text: string) => text.split("\x1b[J").slice(1);

test("on a terminal of 80 by 24 the display of twenty pull requests never scrolls, and its address stays visible", async () => {
  const { output, ended, shows, type } = openTerminal("--prs", "20");
  await shows(/\d+ testing/);
  const drawn = output.text.length;
  // More drawings follow, while the queue works.
  await shows(/[1-9]\d* merged/);
  type(ctrlC);
  expect(await ended).toBe(0);
  const all = drawings(output.text).filter((one) => one.includes("After "));
  expect(output.text.length).toBeGreaterThan(drawn);
  expect(all.length).toBeGreaterThan(3);
  for (const one of all.slice(0, -1)) {
    const lines = stripVTControlCharacters(one).trimEnd().split(/\r?\n/);
    expect(lines[0]).toMatch(/^Watch the queue: +http:\/\/127\.0\.0\.1:\d+\/queues\/\S+\/main$/);
    // The cursor is on the line below.
    expect(lines.length).toBeLessThan(rows);
    expect(Math.max(...lines.slice(1).map((line) => line.length))).toBeLessThan(columns);
    expect(one).toMatch(/Try it yourself: +http:\S+\/acme\/widgets\/pull\/21/);
  }
  expect(output.text).toMatch(/\d+ of 20 pull requests have merged\. \d+ commits of main checked, 0 red\./);
});

test("during the setup the terminal shows each step and its time, and Ctrl-C ends it", async () => {
  const { output, ended, shows, type } = openTerminal("--prs", "12");
  await shows(/Starting a local GitHub … 0\.\d s/);
  await shows(/Opening pull requests: 1 of 12 … /);
  type(ctrlC);
  expect(await ended).toBe(0);
  const steps = drawings(output.text).map((one) => one.split(" … ")[0]);
  expect(new Set(steps).size).toBeGreaterThan(2);
  expect(output.text).toContain("Stopped during the setup. No pull request has merged.");
  expect(output.text).not.toContain("unsettled");
});
