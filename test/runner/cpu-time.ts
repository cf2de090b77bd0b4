import { readFileSync } from "node:fs";

/** Milliseconds of one tick of the kernel, as it reports the times of processes. */
const tickMs = 10;

/**
 * How long this process and its children that ended have used a processor, in ms. Unlike the time on the wall,
 * it does not grow with what else the machine does. Where there is no `/proc`, the children are missing.
 */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + ofChildren();
}

function ofChildren(): number {
  let stat: string;
  try {
    stat = readFileSync("/proc/self/stat", "utf8");
  } catch {
    return 0;
  }
  // The name of the process, in parentheses, may contain spaces. `cutime` and `cstime` are the 14th and 15th field after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * tickMs;
}
