import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives back what loading the modules has taken: of the young memory above all, which V8 keeps at its largest until something else wants it.
 * Holds the event loop for more than 100 ms, so it is called before anybody is served.
 */
export function releaseStartMemory(): void {
  setFlagsFromString("--expose-gc");
  const gc: (options: object) => void = runInNewContext("gc");
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}
