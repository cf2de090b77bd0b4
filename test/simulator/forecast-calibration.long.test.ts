import { describe, expect, test } from "@jest/globals";
import { decide } from "../../src/engine/decide.ts";
import { type Forecast, forecast } from "../../src/engine/forecast/forecast.ts";
import type { QueueSettings } from "../../src/engine/model/settings.ts";
import { runEngine } from "../../src/replay/engine-run/engine-run.ts";
import { queueSettings } from "../../src/replay/engine-run/queue-settings.ts";
import { generateWorkload } from "../../tools/simulator/workload/generate-workload.ts";
import {
  type Preset,
  type PresetName,
  presets,
  type WorkloadModel,
} from "../../tools/simulator/workload/model.ts";

interface Asked extends Forecast {
  readonly at: number;
}

/** The number of merges after which a queue's forecasts are judged. */
const warmUp = 10;

/** The share of merges that came later than forecast when their pull requests were submitted, over many seeds. */
function judge(
  preset: PresetName,
  model: Partial<WorkloadModel>,
  settings: Partial<QueueSettings> | null,
  seeds: number,
) {
  const late = { p50: 0, p90: 0, asked: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const { mode, model: usual }: Preset = presets[preset];
    const workload = generateWorkload({ ...usual, ...model, seed });
    const asked = new Map<number, Asked>();
    let merged = 0;
    runEngine(workload, queueSettings(mode, workload.settings, settings), (state, input, context) => {
      const decided = decide(state, input, context);
      for (const { data, at } of decided.events) {
        if (data.type !== "entry_moved") continue;
        const one = data.from === "not_ready" ? forecast(decided.state, at).get(data.pr) : undefined;
        if (one && merged >= warmUp) asked.set(data.pr, { ...one, at });
        if (data.to !== "merged") continue;
        merged++;
        const told = asked.get(data.pr);
        if (!told) continue;
        late.asked++;
        if (at - told.at > told.p50) late.p50++;
        if (at - told.at > told.p90) late.p90++;
      }
      return decided;
    });
  }
  return { asked: late.asked, p50: late.p50 / late.asked, p90: late.p90 / late.asked };
}

const queues = {
  "a small team's line": () => judge("small-team", {}, { concurrency: 4 }, 12),
  "a line with two slots": () => judge("small-team", { rate: 4 }, { concurrency: 2 }, 12),
  "a line that cannot keep up": () => judge("small-team", { rate: 12, hours: 16 }, { concurrency: 8 }, 5),
  lanes: () => judge("github", { rate: 40, workers: 40 }, null, 2),
  "a line under the policy adaptive": () => judge("small-team", {}, { policy: "beliefs", concurrency: 4 }, 6),
  "lanes under the policy adaptive": () =>
    judge("github", { rate: 40, workers: 40, hours: 6 }, { policy: "beliefs", concurrency: 40 }, 2),
  "lanes with too few slots": () => judge("github", { rate: 60 }, { concurrency: 20 }, 2),
};

describe("the forecast at submission", () => {
  // The bounds are wide because one long wait makes all forecasts of its hour wrong in the same way.
  test.each(Object.entries(queues))(
    "in %s has about half of the merges after its p50, and few after its p90",
    (_name, run) => {
      const { asked, p50, p90 } = run();
      expect(asked).toBeGreaterThan(100);
      expect(p50).toBeGreaterThan(0.25);
      expect(p50).toBeLessThan(0.7);
      expect(p90).toBeGreaterThan(0.005);
      expect(p90).toBeLessThan(0.2);
    },
  );
});
