/**
 * Loaded into a service before it starts (`--import`). On each SIGUSR2 it writes the longest holds of the event loop since the
 * previous one, as a {@link LongestHolds} in JSON, to the file named by LOOP_WATCH_FILE.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { LongestHolds } from "./loop-watch.ts";

const file = process.env.LOOP_WATCH_FILE;
if (file === undefined) throw new Error("LOOP_WATCH_FILE names no file");
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
let ownMs = 0;
let before = processorMs();

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

setInterval(() => {
  const now = processorMs();
  ownMs = Math.max(ownMs, now - before);
  before = now;
}, 1).unref();

process.on("SIGUSR2", () => {
  const holds: LongestHolds = { ms: Math.max(0, delays.max / 1e6 - 1), ownMs };
  delays.reset();
  ownMs = 0;
  // Renamed into place, so that a reader never sees half of it.
  writeFileSync(`${file}.new`, JSON.stringify(holds));
  renameSync(`${file}.new`, file);
});
