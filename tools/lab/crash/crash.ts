import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import type { KnownOptions, ValuesOf } from "../../command-options.ts";
import { type BoundaryEvent, type BoundaryKind, boundaryEvents } from "../../simulator/service/boundaries.ts";
import { type Way, ways } from "../../simulator/service/service-plan.ts";
import type { Experiment, ExperimentOptions } from "../experiment.ts";
import { databaseOption } from "../postgres.ts";
import { type CrashOptions, runCrashes } from "./run-crashes.ts";
import { type ScenarioName, scenarioNames } from "./scenarios.ts";
import { runSimulatedCrashes } from "./simulated-crashes.ts";

const about = `Plays short scenarios on the local GitHub: each once undisturbed, then once for each boundary of a durable effect, at which the
service is killed (SIGKILL) and started again. Boundaries are before and after each commit to the database, and before and
after each call that changes something at GitHub. Every run must end like the undisturbed one.`;

const known = {
  scenario: { value: "name", about: `one of ${scenarioNames.join(", ")} (default: all)` },
  every: { value: "n", default: "1", about: "kill only at every Nth boundary" },
  at: { value: "n", about: "kill only at the boundary with this number" },
  database: { value: "kind", about: "sqlite (default), or postgres: a server of its own" },
  simulated: {
    about:
      "play them in virtual time, with an in-memory database and code host: a thousand kills in two minutes",
  },
  replicas: { value: "n", about: "with --simulated, so many services share the database (default 1)" },
  event: {
    value: "name",
    about: `with --simulated, what happens at the boundaries, for a minute: all in turn, or one of ${boundaryEvents.join(", ")} (default kill)`,
  },
  later: {
    value: "name",
    about:
      "with --simulated, what happens up to 40 effects after that: one of these events, or all = one that is drawn",
  },
  seed: { value: "n", about: "draws what --later does, and when (default 1)" },
  readings: {
    about:
      "with --simulated, the boundaries are the answers of calls that only read: what happens there happens after the answer was given, and before it arrives",
  },
  by: { value: "way", about: `with --simulated, how people give commands: ${ways.join(", ")} (default api)` },
  settings: {
    value: "json",
    about: `settings of the queue instead of the scenario's: '{"mode":"parallel"}'`,
  },
  "without-webhooks": { about: "with --simulated, all webhooks are lost" },
  json: { about: "print the result as one line of JSON" },
} as const satisfies KnownOptions;

interface CrashCommand extends Omit<CrashOptions, "progress" | "event">, ExperimentOptions {
  /** The number of simulated services that share the database; null = a real service. */
  readonly simulatedReplicas: number | null;
  /** The events at the boundaries, used in turn. */
  readonly events: readonly BoundaryEvent[];
  /** The possible events afterwards; empty = none. */
  readonly laterEvents: readonly BoundaryEvent[];
  readonly seed: number;
  readonly boundaries: BoundaryKind;
  readonly by: Way;
  /** Settings that replace those of the scenarios. */
  readonly settings: Partial<QueueSettings>;
  readonly withoutWebhooks: boolean;
}

/** @throws an error that says what is wrong with the arguments */
function parse(values: ValuesOf<typeof known>): CrashCommand {
  const { scenario, at, every, database, simulated, replicas, event, readings, by, json } = values;
  const withoutWebhooks = values["without-webhooks"];
  if (scenario !== undefined && !isScenario(scenario))
    throw new Error(`--scenario must be one of ${scenarioNames.join(", ")}.`);
  if (replicas !== undefined && !simulated) throw new Error("--replicas needs --simulated.");
  const { later, seed, settings } = values;
  const ofSimulation = [event, later, seed, by].some((one) => one !== undefined);
  if ((ofSimulation || readings || withoutWebhooks) && !simulated)
    throw new Error("--event, --later, --seed, --readings, --by and --without-webhooks need --simulated.");
  if (database !== undefined && simulated)
    throw new Error("--simulated has a database of its own, so --database cannot be used with it.");
  return {
    scenarios: scenario === undefined ? scenarioNames : [scenario],
    at: at === undefined ? null : [positive("at", at)],
    every: positive("every", every),
    database: databaseOption(database ?? "sqlite"),
    simulatedReplicas: simulated ? positive("replicas", replicas ?? "1") : null,
    events: readEvents("event", event ?? "kill"),
    laterEvents: later === undefined ? [] : readEvents("later", later),
    seed: positive("seed", seed ?? "1"),
    by: readWay(by ?? "api"),
    settings: readSettings(settings ?? "{}"),
    boundaries: readings ? "readings" : "effects",
    withoutWebhooks,
    json,
  };
}

const isScenario = (name: string): name is ScenarioName =>
  (scenarioNames as readonly string[]).includes(name);

function readEvents(option: string, name: string): readonly BoundaryEvent[] {
  if (name === "all") return boundaryEvents;
  const known = boundaryEvents.find((event) => event === name);
  if (known === undefined)
    throw new Error(`--${option} must be all, or one of ${boundaryEvents.join(", ")}.`);
  return [known];
}

function readWay(name: string): Way {
  const known = ways.find((way) => way === name);
  if (known === undefined) throw new Error(`--by must be one of ${ways.join(", ")}.`);
  return known;
}

function readSettings(text: string): Partial<QueueSettings> {
  const settings = parseJson(text);
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new Error("--settings must be a JSON object.");
  const unknown = Object.keys(settings).filter((name) => !(name in defaultSettings));
  if (unknown.length > 0) throw new Error(`--settings has unknown names: ${unknown.join(", ")}.`);
  return settings;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("--settings must be JSON.");
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new Error(`--${name} must be a whole number from 1.`);
}

export const crash: Experiment<typeof known, CrashCommand> = {
  ...{ about, known, parse },
  async play(options, { progress, run }) {
    const { simulatedReplicas: replicas, events } = options;
    const result =
      replicas === null
        ? await runCrashes({ ...options, progress })
        : await runSimulatedCrashes({ ...options, replicas, progress });
    const runs = events.every((event) => event === "kill") ? "kills" : "runs";
    const name = options.scenarios.join(", ");
    run({ name, line: `${result.kills} ${runs}`, violations: result.violations, json: result });
    return `${result.kills} ${runs} in all`;
  },
};
