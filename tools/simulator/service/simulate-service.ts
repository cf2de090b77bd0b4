import { flag, readOptions, whole } from "../../command-options.ts";
import { searchSeeds } from "../all-cores.ts";

const usage = `Usage: npm run simulate:service -- [options]

Plays lives of the service in virtual time: its API, bot, workers and reconciler, on an in-memory database and code host, as one
process or as up to three replicas. Calls are slow, fail or lose their answers, and webhooks come late, in any order, twice or not
at all. People submit, cancel, push, restart and change settings, by the API, in comments or with a label. Processes are killed
and suspended, their clocks are wrong, and the repository is renamed, transferred or out of reach. In a third of the lives it has two queues, and pull
requests change from one to the other. Some are merged beside the queue. At the end, every pull request must have the right outcome, every comment a reaction, and
the code host must show it.
A seed repeats its life exactly.

  --seeds N   how many lives (default 1000)
  --from N    the first seed (default 1)
  --json      print the result as one line of JSON
  --help      print this`;

const known = { seeds: whole(1_000, 1, 999_999_999), from: whole(1, 1, 999_999_999), json: flag };

/** `trainyard simulate-service`: searches for lives that end wrongly. Returns the exit code. */
export async function simulateService(argv: readonly string[]): Promise<number> {
  const options = readOptions(argv, { name: "simulate-service", usage, options: known });
  if (typeof options === "number") return options;
  const { seeds, events, seconds, broken } = await searchSeeds("service", {
    ...options,
    ...{ atOnce: 10, noun: "lives" },
  });
  if (options.json) console.log(JSON.stringify({ seeds, events, seconds, broken }));
  for (const { seed, violation } of broken) console.error(`seed ${seed}: ${violation}`);
  console.error(`${seeds} lives, ${events} events, ${seconds} s: ${broken.length} wrong`);
  return broken.length === 0 ? 0 : 1;
}
