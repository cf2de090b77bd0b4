import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Frees memory that loading the modules has left behind, mainly V8's young generation, which otherwise stays at its largest
 * size. Blocks the event loop for more than 100 ms, so it has to run before the server listens.
 */
export function releaseStartMemory(): void {
  setFlagsFromString("--expose-gc");
  const gc: (options: object) => void = runInNewContext("gc");
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
