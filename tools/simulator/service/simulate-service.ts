import type { Command } from "commander";
import { defineTool, type KnownOptions, type ValuesOf } from "../../command-options.ts";
import { searchSeeds } from "../all-cores.ts";

const about = `Plays lives of the service in virtual time: its API, bot, workers and reconciler, on an in-memory database and code host, as one
process or as up to three replicas. Calls are slow, fail or lose their answers, and webhooks come late, in any order, twice or not
at all. People submit, cancel, push, restart and change settings, by the API, in comments or with a label. Processes are killed
and suspended, their clocks are wrong, and the repository is renamed, transferred or out of reach. In a third of the lives it has two queues, and pull
requests change from one to the other. Some are merged beside the queue. At the end, every pull request must have the right outcome, every comment a reaction, and
the code host must show it.
A seed repeats its life exactly.`;

const known = {
  seeds: { value: "n", default: "1000", about: "how many lives" },
  from: { value: "n", default: "1", about: "the first seed" },
  json: { about: "print the result as one line of JSON" },
} as const satisfies KnownOptions;

/** Adds the options of `trainyard simulate-service`, which searches for lives with a wrong end. */
export function defineSimulateService(command: Command): void {
  defineTool(command, { about, known, parse: parseOptions }, simulateService);
}

async function simulateService(options: ReturnType<typeof parseOptions>): Promise<number> {
  const { seeds, events, seconds, broken } = await searchSeeds("service", {
    ...options,
    ...{ atOnce: 10, noun: "lives" },
  });
  if (options.json) console.log(JSON.stringify({ seeds, events, seconds, broken }));
  for (const { seed, violation } of broken) console.error(`seed ${seed}: ${violation}`);
  console.error(`${seeds} lives, ${events} events, ${seconds} s: ${broken.length} wrong`);
  return broken.length === 0 ? 0 : 1;
}

/** @throws an error that says what is wrong with the arguments */
function parseOptions(values: ValuesOf<typeof known>) {
  for (const name of ["seeds", "from"] as const)
    if (!/^[1-9]\d{0,8}$/.test(values[name]))
      throw new Error(`--${name} must be a whole number of 1 or more, not "${values[name]}".`);
  return { seeds: Number(values.seeds), from: Number(values.from), json: values.json };
}
