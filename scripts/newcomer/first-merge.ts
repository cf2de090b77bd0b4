import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "./clone.ts";
import type { Report } from "./report.ts";
import { Terminal, tracesIn } from "./terminal.ts";

const patienceMs = 300_000;
const limitMs = 60_000;

/** Starts the sandbox and the service as the sandbox says, creates the first queue, and merges the first pull request. */
export async function mergeFirst(place: Place, port: number, report: Report): Promise<void> {
  const terminals: Terminal[] = [];
  const open = (command: string) => {
    const terminal = new Terminal(command, place.clone, { ...place.env, PORT: String(port) });
    terminals.push(terminal);
    return terminal;
  };
  let page = "";
  let exports = "";
  try {
    await report.step("npm run sandbox: a local GitHub with a pull request", async () => {
      const hooks = port === 3_000 ? "" : ` -- --webhook-url http://127.0.0.1:${port}/api/github/webhooks`;
      const { text } = await until(open(`npm run sandbox${hooks}`), /Ctrl-C ends it/);
      page = /^ {2}(http:\S+\/pull\/\d+)$/m.exec(text)?.[1] ?? "";
      exports = /^export [\s\S]+?(?=^npx trainyard serve$)/m.exec(text)?.[0] ?? "";
      return page && exports ? null : `it printed no pull request or no settings:\n${text}`;
    });
    await report.step("npx trainyard serve, with the settings that the sandbox printed", async () => {
      await until(open(`${exports}\nnpx trainyard serve`), /Trainyard is listening/);
      return null;
    });
    let seconds = 0;
    await report.step("two commands from the ready service to the first merge", async () => {
      const began = performance.now();
      const create = open("npx trainyard queue create acme/widgets@main");
      await until(create, /is ready/);
      await comment(page, "/trainyard merge");
      for (; !(await read(page)).includes('class="state merged"'); await sleep(200)) {
        if (performance.now() - began > patienceMs) return `nothing has merged:\n${await read(page)}`;
      }
      seconds = (performance.now() - began) / 1_000;
      return seconds * 1_000 <= limitMs ? null : `it took ${seconds.toFixed(1)} s`;
    });
    await report.step("Ctrl-C ends both, without a stack trace", async () => {
      for (const terminal of terminals.toReversed()) {
        if (!terminal.hasEnded) terminal.interrupt();
        await Promise.race([terminal.ended, sleep(20_000, null, { ref: false })]);
        if (!terminal.hasEnded) return `it did not end:\n${terminal.text.slice(-1_000)}`;
      }
      const found = terminals.flatMap(({ text }) => tracesIn(text));
      return found.length === 0 ? null : `it printed ${found[0]?.trim()}`;
    });
  } finally {
    for (const terminal of terminals) terminal.kill();
  }
}

async function until(terminal: Terminal, pattern: RegExp): Promise<Terminal> {
  await terminal.shows(pattern, patienceMs);
  return terminal;
}

async function read(page: string): Promise<string> {
  return (await fetch(page)).text();
}

/** Sends the form of the page as alice, as a browser does. */
async function comment(page: string, body: string): Promise<void> {
  const form = await read(page);
  const [, token = ""] = /name="token"[^>]*value="([^"]+)"/.exec(form) ?? [];
  const [, action = ""] = /<form[^>]*action="([^"]+)"/.exec(form) ?? [];
  const sent = new URLSearchParams({ token, as: "alice", body });
  const answer = await fetch(new URL(action, page), { method: "POST", body: sent });
  if (!answer.ok) throw new Error(`the comment was refused: ${answer.status} ${await answer.text()}`);
}
