import { defaultSettings, type QueueSettings } from "../../../src/engine/model/settings.ts";
import { findName, flag, oneOf, option, type ValuesOf, whole } from "../../command-options.ts";
import { boundaryEvents } from "../../simulator/service/boundaries.ts";
import { ways } from "../../simulator/service/service-plan.ts";
import { type Experiment, jsonOption } from "../lab.ts";
import { databases } from "../postgres.ts";
import { runCrashes } from "./run-crashes.ts";
import { scenarioNames } from "./scenarios.ts";
import { runSimulatedCrashes } from "./simulated-crashes.ts";

const usage = `Usage: npm run lab -- crash [options]

Plays short scenarios on the local GitHub: each once undisturbed, then once for each boundary of a durable effect, at which the
service is killed (SIGKILL) and started again. Boundaries are before and after each commit to the database, and before and
after each call that changes something at GitHub. Every run must end like the undisturbed one.

  --scenario NAME  one of ${scenarioNames.join(", ")} (default: all)
  --every N        kill only at every Nth boundary (default 1)
  --at N           kill only at the boundary with this number
  --database KIND  sqlite (default), or postgres: a server of its own
  --simulated      play them in virtual time, with an in-memory database and code host: a thousand kills in two minutes
  --replicas N     with --simulated, so many services share the database (default 1)
  --event NAME     with --simulated, what happens at the boundaries, for a minute: all in turn, or one of
                   ${boundaryEvents.join(", ")} (default kill)
  --later NAME     with --simulated, what happens up to 40 effects after that: one of these events, or all = one that is drawn
  --seed N         draws what --later does, and when (default 1)
  --readings       with --simulated, the boundaries are the answers of calls that only read: what happens there happens after the
                   answer was given, and before it arrives
  --by WAY         with --simulated, how people give commands: ${ways.join(", ")} (default api)
  --settings JSON  settings of the queue instead of the scenario's: '{"mode":"parallel"}'
  --without-webhooks  with --simulated, all webhooks are lost
  --json           print the result as one line of JSON
  --help           print this`;

/** One of the events, or all in turn. */
const events = option(null, (given, name) =>
  given === "all" ? boundaryEvents : [findName(boundaryEvents, given, name)],
);

const options = {
  scenario: oneOf(scenarioNames, null),
  every: whole(1, 1),
  at: whole(null, 1),
  database: oneOf(databases, null),
  simulated: flag,
  replicas: whole(null, 1),
  /** What happens at the boundaries, in turn. */
  event: events,
  /** What can happen afterwards. */
  later: events,
  seed: whole(null, 1),
  readings: flag,
  by: oneOf(ways, null),
  /** Replace those of the scenarios. */
  settings: option({}, readSettings),
  withoutWebhooks: flag,
  ...jsonOption,
};

function check(given: ValuesOf<typeof options>): void {
  const { simulated, replicas, event, later, seed, by, readings, withoutWebhooks, database } = given;
  if (replicas !== null && !simulated) throw new Error("--replicas needs --simulated.");
  const ofSimulation = [event, later, seed, by].some((one) => one !== null);
  if ((ofSimulation || readings || withoutWebhooks) && !simulated)
    throw new Error("--event, --later, --seed, --readings, --by and --without-webhooks need --simulated.");
  if (database !== null && simulated)
    throw new Error("--simulated has a database of its own, so --database cannot be used with it.");
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

/** The service is killed at every boundary of a durable effect. */
export const crash: Experiment<typeof options> = {
  ...{ name: "lab crash", usage, options, check },
  async play(given, { progress, run }) {
    const { scenario, at, every, simulated, settings, event, later, seed } = given;
    const scenarios = scenario === null ? scenarioNames : [scenario];
    const kills = { scenarios, at: at === null ? null : [at], every, settings, progress };
    const events = event ?? ["kill"];
    const result = simulated
      ? await runSimulatedCrashes({
          ...{ ...kills, replicas: given.replicas ?? 1, events, laterEvents: later ?? [], seed: seed ?? 1 },
          ...{ by: given.by ?? "api", boundaries: given.readings ? "readings" : "effects" },
          withoutWebhooks: given.withoutWebhooks,
        })
      : await runCrashes({ ...kills, database: given.database ?? "sqlite" });
    const runs = events.every((event) => event === "kill") ? "kills" : "runs";
    run({
      name: scenarios.join(", "),
      line: `${result.kills} ${runs}`,
      violations: result.violations,
      json: result,
    });
    return `${result.kills} ${runs} in all`;
  },
};
