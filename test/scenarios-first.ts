import { createRequire } from "node:module";

// Its types describe what `require` answers.
const require = createRequire(import.meta.url);
const { default: Sequencer } = require("@jest/test-sequencer") as typeof import("@jest/test-sequencer");
type Sort = InstanceType<typeof Sequencer>["sort"];

/**
 * Begins with the scenarios, which for the most part wait for children and timers: one that came last would be waited for alone.
 * Jest itself knows how long a file takes only once it has run.
 */
export default class ScenariosFirst extends Sequencer {
  override async sort(tests: Parameters<Sort>[0]): Promise<Awaited<ReturnType<Sort>>> {
    const isScenario = ({ path }: { readonly path: string }) => path.includes("/test/scenarios/");
    const sorted = [...(await super.sort(tests))];
    return sorted.sort((a, b) => Number(isScenario(b)) - Number(isScenario(a)));
  }
}
