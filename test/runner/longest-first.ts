import { createRequire } from "node:module";

// The types of the package describe what `require` returns.
const require = createRequire(import.meta.url);
const { default: Sequencer } = require("@jest/test-sequencer") as typeof import("@jest/test-sequencer");
type Sort = InstanceType<typeof Sequencer>["sort"];

/** The files of the first folder take minutes. */
const longest = ["/test/lab/", "/test/scenarios/", "/test/store/"];

/**
 * Starts the slowest files first, then the scenarios, which mostly wait for children and timers, and the
 * stores. If one of them came last, the run would wait for it alone. Jest itself knows how long a file takes
 * only after it has run once, and sorts by size until then.
 */
export default class LongestFirst extends Sequencer {
  override async sort(tests: Parameters<Sort>[0]): Promise<Awaited<ReturnType<Sort>>> {
    const turn = ({ path }: { readonly path: string }) => {
      const found = longest.findIndex((part) => path.includes(part));
      return found < 0 ? longest.length : found;
    };
    const sorted = [...(await super.sort(tests))];
    return sorted.sort((a, b) => turn(a) - turn(b));
  }
}
