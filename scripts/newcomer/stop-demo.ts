import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { processesWith } from "../../test/lab/processes-of.ts";
import type { Place } from "./clone.ts";
import { overflowsOf, Terminal, tracesIn } from "./terminal.ts";

export const judgement =
  /Stopped during the setup\. No pull request has merged\.|\d+ of \d+ pull requests have merged\. \d+ commits of main checked, 0 red\./;

/** The time for which one waits for what a slow machine does. */
const patienceMs = 300_000;

/** Runs the demo until a pull request has merged, then presses Ctrl-C. Returns the problem. */
export async function playDemo(place: Place, command: string, limitMs: number): Promise<string | null> {
  const terminal = new Terminal(command, place.clone, place.env);
  try {
    await terminal.shows(/[1-9]\d* merged/, patienceMs);
    const scrolled = overflowsOf(terminal.output);
    if (scrolled.length > 0) return `the display is larger than the terminal: ${scrolled[0]}`;
    return await stop(place, terminal, limitMs);
  } finally {
    terminal.kill();
  }
}

/** Starts the demo, presses Ctrl-C after a time, and returns the problem. */
export async function stopDemo(
  place: Place,
  command: string,
  { afterMs, limitMs }: { afterMs: number; limitMs: number },
): Promise<string | null> {
  const terminal = new Terminal(command, place.clone, place.env);
  try {
    await sleep(afterMs);
    return await stop(place, terminal, limitMs);
  } finally {
    terminal.kill();
  }
}

/** Presses Ctrl-C twice at once, and returns the problem. */
export async function stopDemoAtOnce(
  place: Place,
  command: string,
  { afterMs, limitMs }: { afterMs: number; limitMs: number },
): Promise<string | null> {
  const terminal = new Terminal(command, place.clone, place.env);
  try {
    await terminal.shows(/Watch the queue:/, patienceMs);
    await sleep(afterMs);
    terminal.interrupt();
    await sleep(300);
    const began = performance.now();
    if (!terminal.hasEnded) terminal.interrupt();
    return (await untilEnded(terminal, began, limitMs)) ?? (await traces(place, terminal));
  } finally {
    terminal.kill();
  }
}

async function stop(place: Place, terminal: Terminal, limitMs: number): Promise<string | null> {
  const began = performance.now();
  const hasBegun = terminal.text.includes("Starting a local GitHub");
  terminal.interrupt();
  const late = await untilEnded(terminal, began, limitMs);
  if (late !== null) return late;
  // Before its first line, there is nothing to judge.
  if (hasBegun && !judgement.test(terminal.text))
    return `it printed no judgement:\n${terminal.text.slice(-1_000)}`;
  return traces(place, terminal);
}

async function untilEnded(terminal: Terminal, began: number, limitMs: number): Promise<string | null> {
  const isOver = await Promise.race([
    terminal.ended.then(() => true),
    sleep(patienceMs, false, { ref: false }),
  ]);
  const ms = Math.round(performance.now() - began);
  if (isOver && ms <= limitMs) return null;
  return `it ended ${isOver ? `after ${ms} ms` : "never"}, not within ${limitMs} ms:\n${terminal.text.slice(-1_000)}`;
}

/** Returns what a stopped demo left: stack traces, processes or files. */
async function traces({ temporary }: Place, { text }: Terminal): Promise<string | null> {
  const found = tracesIn(text);
  if (found.length > 0) return `it printed ${found[0]?.trim()}`;
  for (let tries = 0; tries < 40 && (await processesWith(temporary)).length > 0; tries++) await sleep(50);
  const processes = await processesWith(temporary);
  if (processes.length > 0) return `it left a process: ${processes[0]}`;
  const files = (await readdir(temporary)).filter((name) => name.startsWith("trainyard"));
  return files.length > 0 ? `it left ${files[0]}` : null;
}
