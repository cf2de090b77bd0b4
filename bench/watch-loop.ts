/**
 * Loaded into a service before it starts (`--import`). On each SIGUSR2 it writes the longest hold of the event loop since the
 * previous one, in milliseconds, to the file named by LOOP_WATCH_FILE.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

const file = process.env.LOOP_WATCH_FILE;
if (file === undefined) throw new Error("LOOP_WATCH_FILE names no file");
const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();
process.on("SIGUSR2", () => {
  const longestMs = Math.max(0, delays.max / 1e6 - 1);
  delays.reset();
  // Renamed into place, so that a reader never sees half of it.
  writeFileSync(`${file}.new`, String(longestMs));
  renameSync(`${file}.new`, file);
});
