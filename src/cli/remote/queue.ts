import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import { type AnswerOf, ApiError, type RequestOf, type TrainyardClient } from "../../client/client.ts";
import { nameKey } from "../../engine/model/names.ts";
import { confirm, withConfirmation } from "../confirm.ts";
import type { OutcomeName } from "../exit-codes.ts";
import { printable } from "../print-json.ts";
import { renderTable } from "../render-table.ts";
import { defineCreate } from "./create-queue.ts";
import {
  keepIfUnanswered,
  onOrganisation,
  onService,
  type PlaceOptions,
  pollMs,
  type Remote,
  readRepository,
  readWhole,
  renderState,
  withListOptions,
  withRemoteOptions,
} from "./service.ts";

type Change = Omit<RequestOf<"updateQueue">, "repo" | "targetBranch">;

/** Adds the subcommands of `trainyard queue`: what an operator does with a queue. */
export function defineQueue(queue: Command): void {
  const add = (name: string, endpoint: keyof TrainyardClient, what: string) =>
    withRemoteOptions(queue.command(name).description(what), endpoint);

  defineCreate(queue.command("create"));

  withListOptions(queue.command("list"), "listQueues")
    .description("list the queues of the repositories that you may read, or of the token's organisation")
    .option("--branch <branch>", "only the queues of this branch")
    .action((options) => onOrganisation(options, (remote) => list(remote, options)));

  add("show", "getQueue", "show its state, its settings and what is in it").action((options) =>
    onService(options, async ({ client, place, print }) => {
      const found = await client.getQueue(place);
      print(found, () => describe(found));
      return "done";
    }),
  );

  add("watch", "getQueue", "show it again each time that it changes, until Ctrl-C")
    .option("--until-empty", "end when no pull request is in it")
    .action((options) => onService(options, (remote) => watch(remote, options)));

  add("history", "listPullRequests", "list the pull requests that were submitted, the latest first")
    .option("--state <state>", "only those in this state, such as failed")
    .option("--take <number>", "how many", readWhole, 20)
    .action((options) =>
      onService(options, async ({ client, place, print }) => {
        const { state, take } = options;
        const listed = await client.listPullRequests({
          ...place,
          take,
          ...(state === undefined ? {} : { state }),
        });
        print(listed, () =>
          renderTable(
            listed.pullRequests.map(({ prNumber, state, stateChangedAt, prAuthor, prTitle }) => [
              `#${prNumber}`,
              state.replaceAll("_", " "),
              stateChangedAt,
              printable(prAuthor),
              printable(prTitle),
            ]),
          ),
        );
        return "done";
      }),
    );

  for (const [name, what, state] of [
    ["pause", "stop merging and testing", "paused"],
    ["drain", "start no test, and merge what passes of those under way", "draining"],
    ["resume", "run again", "running"],
  ] as const) {
    const command = add(name, "updateQueue", what);
    if (state === "paused")
      command.requiredOption("--reason <text>", "the reason, which people who wait read");
    else command.option("--reason <text>", "the reason, which people who wait read");
    command.action((options) =>
      change(options, { state, ...(options.reason && { reason: options.reason }) }),
    );
  }

  add("set", "updateQueue", "change settings, such as concurrency=8 mergeMethod=squash")
    .argument(
      "<setting=value...>",
      'settings of updateQueue; values are JSON, such as requiredStatuses=["build"], or else text',
      addSetting,
    )
    .option("--reason <text>", "the reason, for the audit log")
    .action((settings: Change, options) =>
      change(options, { ...settings, ...(options.reason && { reason: options.reason }) }),
    );

  withConfirmation(add("delete", "deleteQueue", "delete it; it must be empty")).action((options, command) =>
    onService(options, async ({ client, place, print }) => {
      const { targetBranch: branch } = place;
      const describe = () =>
        client.getQueue(place).then((queue) => describeDeletion(place.repo, queue), nullIfAbsent);
      if (!(await confirm(command, describe))) return "failed";
      const answer = await client.deleteQueue(place);
      print(answer, () => [
        answer.deleted ? `The queue of ${branch} is deleted.` : `${branch} has no queue.`,
      ]);
      return "done";
    }),
  );
}

async function list(
  { client, print }: Omit<Remote, "place">,
  { repo, branch }: PlaceOptions,
): Promise<OutcomeName> {
  const only = repo === undefined ? null : nameRepository(readRepository(repo));
  const { queues: all, isComplete } = await client.listQueues({});
  const queues = all.filter(
    (queue) =>
      (only === null || nameRepository(queue.repo) === only) &&
      (branch === undefined || queue.branch === branch),
  );
  if (!isComplete)
    console.error(
      "GitHub does not say whether you may see some repositories, so they are missing. Try again in a minute.",
    );
  print({ queues, isComplete }, () =>
    renderTable(
      queues.map(({ repo, branch, state, stateText, waiting, testing, notReady }) => [
        `${repo.owner}/${repo.name}@${printable(branch)}`,
        state.replaceAll("_", " "),
        `${waiting} waiting`,
        `${testing} tests`,
        `${notReady} not ready`,
        state === "running" ? "" : printable(stateText),
      ]),
    ),
  );
  return "done";
}

const nameRepository = ({ host, owner, name }: AnswerOf<"listQueues">["queues"][number]["repo"]): string =>
  nameKey(`${host}/${owner}/${name}`);

/** Prints what changes. A program reads one line for each change. */
async function watch(
  { client, place, print }: Remote,
  { untilEmpty }: { readonly untilEmpty?: true },
): Promise<OutcomeName> {
  let found = await client.getQueue(place);
  let told = "";
  for (;;) {
    const lines = describe(found);
    if (lines.join() !== told) print(found, () => lines);
    told = lines.join();
    if (untilEmpty && found.enqueuedPullRequests.length + found.awaitingReadiness.length === 0) return "done";
    await sleep(pollMs);
    found = await client.getQueue(place).catch(keepIfUnanswered(found));
  }
}

function change(options: Parameters<typeof onService>[0], changes: Change): Promise<void> {
  return onService(options, async ({ client, place, print }) => {
    const changed = await client.updateQueue({ ...place, ...changes });
    print(changed, () => [
      `The queue of ${place.targetBranch} is ${renderState(changed.state)}.`,
      ...renderSettings(changes, changed),
      ...changed.warnings.map((warning) => `Warning: ${printable(warning)}`),
    ]);
    return "done";
  });
}

/** What the service has made of the settings that were given. */
function renderSettings(
  { state: _, reason: __, ...given }: Change,
  changed: AnswerOf<"updateQueue">,
): readonly string[] {
  return Object.entries(changed)
    .filter(([name]) => name in given)
    .map(([name, value]) => `  ${name}: ${printable(JSON.stringify(value))}`);
}

/** Adds `name=value` to the settings before it. The service checks the names and the values. */
function addSetting(pair: string, earlier: Change = {}): Change {
  const [, name, text] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || text === undefined) throw new InvalidArgumentError("Write it as setting=value.");
  return { ...earlier, [name]: readValue(text) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Without any queue, the repository is unknown to a person. `deleteQueue` answers in both cases. */
function nullIfAbsent(error: unknown): null {
  if (error instanceof ApiError && /^(QUEUE|REPOSITORY)_NOT_FOUND$/.test(error.code ?? "")) return null;
  throw error;
}

function describeDeletion({ owner, name }: Remote["place"]["repo"], queue: AnswerOf<"getQueue">): string {
  const { branch, enqueuedPullRequests, awaitingReadiness } = queue;
  const count = enqueuedPullRequests.length + awaitingReadiness.length;
  const inIt =
    count === 0
      ? "No pull request is in it."
      : `${count} pull request${count === 1 ? " is" : "s are"} in it: the service refuses until it is empty.`;
  return `This deletes the queue of ${owner}/${name}@${printable(branch)} with its settings. ${inIt}`;
}

function describe(queue: AnswerOf<"getQueue">): readonly string[] {
  const { branch, state, stateText, mode, policy, concurrency, mergeMethod, freeze, stall } = queue;
  const rows = [...queue.enqueuedPullRequests, ...queue.awaitingReadiness].map(
    ({ prNumber, state, prAuthor, prTitle }) => [
      `#${prNumber}`,
      state.replaceAll("_", " "),
      printable(prAuthor),
      printable(prTitle),
    ],
  );
  return [
    `${branch}: ${renderState(state)}${state === "running" ? "" : `, ${printable(stateText)}`}`,
    `  ${mode}, ${policy}, ${concurrency} at once, ${mergeMethod}`,
    ...(freeze === null ? [] : [`  frozen until ${freeze.until}: ${printable(freeze.reason)}`]),
    ...(stall === null
      ? []
      : [`  nothing has merged since ${stall.since}: #${stall.prNumber}, ${printable(stall.text)}`]),
    ...(rows.length === 0 ? ["  Nothing is waiting."] : renderTable(rows)),
  ];
}
