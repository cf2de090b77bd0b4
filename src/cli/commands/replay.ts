import type { Command } from "commander";
import { parseSettings } from "../../replay/engine-run/queue-settings.ts";
import { readRecording } from "../../replay/recording.ts";
import { renderReplay } from "../../replay/render-replay.ts";
import { replayRecording } from "../../replay/replay-recording.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import { openRecordings, type Recordings } from "../../store/sqlite/open-recordings.ts";
import { requireDatabaseUrl } from "../named-database.ts";
import { printFailure, printJson } from "../print-json.ts";

interface Options {
  readonly queue: string;
  readonly set: readonly string[];
  readonly json?: true;
}

/** Adds the options of `trainyard replay`, and what it does. */
export function defineReplay(command: Command): void {
  command
    .requiredOption(
      "--queue <owner/name@branch>",
      "the queue; with its host before it, if there are several of that name",
    )
    .option("--set <setting=value>", "another setting of updateQueue, also several times", collect, [])
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Replays a queue's recorded workload in virtual time, first with the queue's own settings and then with those given:
  trainyard replay --queue acme/widgets@main --set batch=true --set concurrency=8

It reads the log from the database in DATABASE_URL and writes nothing.`,
    )
    .action(async (options: Options) => {
      process.exitCode = await replay(options);
    });
}

const collect = (text: string, earlier: readonly string[]): readonly string[] => [...earlier, text];

async function replay(options: Options): Promise<number> {
  const changes = parseSettings(options.set);
  const complain = (code: string, problem: string): number => {
    printFailure(code, problem, options.json);
    return 2;
  };
  if ("problem" in changes) return complain("WRONG_USAGE", changes.problem);
  const recordings = await openRecordings(requireDatabaseUrl());
  try {
    const queue = await findQueue(recordings, options.queue);
    if (typeof queue === "string") return complain("QUEUE_NOT_FOUND", queue);
    const recording = readRecording(await recordings.events(queue.id));
    if (recording.entries.every(({ readyAt }) => readyAt === null)) {
      return complain(
        "NOTHING_TO_REPLAY",
        `No pull request was ever tested in ${nameOf(queue)}: there is nothing to replay.`,
      );
    }
    const result = replayRecording(recording, changes);
    if (options.json) printJson({ queue: nameOf(queue), changes, ...result });
    else console.log(renderReplay(nameOf(queue), result, options.set));
    for (const violation of result.violations) console.error(`WRONG: ${violation}`);
    return result.violations.length === 0 ? 0 : 1;
  } finally {
    await recordings.close();
  }
}

/** Returns the queue of that name, or a sentence about the fault of the name. */
async function findQueue(recordings: Recordings, name: string): Promise<QueueRecord | string> {
  const queues = await recordings.queues();
  const matches = (queue: QueueRecord) =>
    [nameOf(queue), `${queue.repo.host}/${nameOf(queue)}`].some(
      (known) => known.toLowerCase() === name.toLowerCase(),
    );
  const found = queues.filter(matches);
  const [queue] = found;
  if (queue && found.length === 1) return queue;
  const names = queues.map((one) => (found.length > 1 ? `${one.repo.host}/` : "") + nameOf(one));
  if (found.length > 1) return `There are several queues ${name}. Name the host, too: ${names.join(", ")}.`;
  return `There is no queue "${name}". ${names.length === 0 ? "The database contains no queue yet." : `There are: ${names.join(", ")}.`}`;
}

function nameOf({ repo, branch }: QueueRecord): string {
  return `${repo.owner}/${repo.name}@${branch}`;
}
