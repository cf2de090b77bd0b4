import { decide } from "../../engine/decide.ts";
import type { QueueSettings } from "../../engine/model/settings.ts";
import type { Outcome } from "../outcome.ts";
import { Roster } from "../workload/roster.ts";
import type { Workload } from "../workload/workload.ts";
import { EngineRun } from "./engine-run.ts";
import type { Decide } from "./queue-driver.ts";

/** Runs a workload through Trainyard's queue. */
export function runEngine(workload: Workload, settings: QueueSettings, decideWith: Decide = decide): Outcome {
  return new EngineRun(new Roster(workload), settings, decideWith).run();
}
