import { createRequire } from "node:module";

// Its types describe what `require` answers.
const require = createRequire(import.meta.url);
const { default: Sequencer } = require("@jest/test-sequencer") as typeof import("@jest/test-sequencer");
type Sort = InstanceType<typeof Sequencer>["sort"];

/** The first one takes minutes. */
const longest = ["/never-fewer.test.ts", "/test/scenarios/", "/test/store/"];

/**
 * Begins with what takes longest, and with the scenarios, which for the most part wait for children and timers, and with the stores: one that came last would
 * be waited for alone. Jest itself knows how long a file takes only once it has run, and goes by its size until then.
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
