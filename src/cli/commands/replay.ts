import { parseArgs } from "node:util";
import { renderOptionProblem } from "../../command/option-problem.ts";
import { parseSettings } from "../../replay/engine-run/queue-settings.ts";
import { readRecording } from "../../replay/recording.ts";
import { renderReplay } from "../../replay/render-replay.ts";
import { replayRecording } from "../../replay/replay-recording.ts";
import { readDatabaseUrl } from "../../settings/database-url.ts";
import type { QueueRecord } from "../../store/queue/queue-store.ts";
import { openRecordings, type Recordings } from "../../store/sqlite/open-recordings.ts";
import { loadEnvFile } from "../load-env-file.ts";

const usage = `Usage: trainyard replay --queue OWNER/NAME@BRANCH [--set SETTING=VALUE …] [--json]

Replays a queue's recorded workload in virtual time, first with the queue's own settings and then with those given.
The settings are those of updateQueue: --set batch=true --set concurrency=8

It reads the log from the database in DATABASE_URL and writes nothing.`;

interface Options {
  readonly queue: string;
  readonly set: readonly string[];
  readonly json: boolean;
}

/** `trainyard replay`: replays a queue's recorded workload with other settings. Returns the exit code. */
export async function replay(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  const options = parse(argv);
  if (typeof options === "string") return complain(options);
  const changes = parseSettings(options.set);
  if ("problem" in changes) return complain(changes.problem);
  loadEnvFile();
  let recordings: Recordings;
  try {
    recordings = await openRecordings(readDatabaseUrl(process.env));
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error));
  }
  try {
    const queue = await findQueue(recordings, options.queue);
    if (typeof queue === "string") return complain(queue);
    const recording = readRecording(await recordings.events(queue.id));
    if (recording.entries.every(({ readyAt }) => readyAt === null)) {
      return complain(`No pull request was ever tested in ${nameOf(queue)}: there is nothing to replay.`);
    }
    const result = replayRecording(recording, changes);
    if (options.json) console.log(JSON.stringify({ queue: nameOf(queue), changes, ...result }));
    else console.log(renderReplay(nameOf(queue), result, options.set));
    for (const violation of result.violations) console.error(`WRONG: ${violation}`);
    return result.violations.length === 0 ? 0 : 1;
  } finally {
    await recordings.close();
  }
}

function parse(argv: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        queue: { type: "string", default: "" },
        set: { type: "string", multiple: true, default: [] },
        json: { type: "boolean", default: false },
      },
    });
    return values;
  } catch (error) {
    return renderOptionProblem(error, "replay", ["queue", "set", "json"]);
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
  const problem = name === "" ? "Which queue? Name it with --queue." : `There is no queue "${name}".`;
  return `${problem} ${names.length === 0 ? "The database contains no queue yet." : `There are: ${names.join(", ")}.`}`;
}

function nameOf({ repo, branch }: QueueRecord): string {
  return `${repo.owner}/${repo.name}@${branch}`;
}

function complain(problem: string): number {
  console.error(problem);
  return 2;
}
