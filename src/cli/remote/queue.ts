import { Command, InvalidArgumentError } from "commander";
import type { AnswerOf, RequestOf } from "../../client/client.ts";
import {
  exitCodes,
  onOrganisation,
  onService,
  printable,
  readNumber,
  renderState,
  renderTable,
  withRemoteOptions,
} from "./service.ts";

type Change = Omit<RequestOf<"updateQueue">, "repo" | "targetBranch">;

/** `trainyard queue`: what an operator does with a queue. `create` is a command of its own, because it needs no token. */
export function queueCommands(queue: Command): void {
  const add = (name: string, what: string) =>
    queue
      .addCommand(withRemoteOptions(new Command(name)).description(what).allowExcessArguments(false))
      .commands.at(-1) ?? queue;

  add("list", "list the queues of the token's organisation").action((options) =>
    onOrganisation(options, async ({ client, print }) => {
      const listed = await client.listQueues({});
      print(listed, () =>
        renderTable(
          listed.queues.map(({ repo, branch, state, stateText, waiting, testing, notReady }) => [
            `${repo.owner}/${repo.name}@${printable(branch)}`,
            state.replaceAll("_", " "),
            `${waiting} waiting`,
            `${testing} tests`,
            `${notReady} not ready`,
            state === "running" ? "" : printable(stateText),
          ]),
        ),
      );
      return exitCodes.done;
    }),
  );

  add("show", "show its state, its settings and what is in it").action((options) =>
    onService(options, async ({ client, place, print }) => {
      const found = await client.getQueue(place);
      print(found, () => describe(found));
      return exitCodes.done;
    }),
  );

  add("history", "list the pull requests that were submitted, the latest first")
    .option("--state <state>", "only those in this state, such as failed")
    .option("--take <number>", "how many", readNumber, 20)
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
        return exitCodes.done;
      }),
    );

  for (const [name, what, state] of [
    ["pause", "stop merging and testing", "paused"],
    ["drain", "start no test, and merge what passes of those under way", "draining"],
    ["resume", "run again", "running"],
  ] as const) {
    const command = add(name, what);
    if (state === "paused")
      command.requiredOption("--reason <text>", "the reason, which people who wait read");
    else command.option("--reason <text>", "the reason, which people who wait read");
    command.action((options) =>
      change(options, { state, ...(options.reason && { reason: options.reason }) }),
    );
  }

  add("set", "change settings, such as concurrency=8 mergeMethod=squash")
    .argument("<setting=value...>", "settings of updateQueue; values are JSON, or else text", addSetting)
    .option("--reason <text>", "the reason, for the audit log")
    .action((settings: Change, options) =>
      change(options, { ...settings, ...(options.reason && { reason: options.reason }) }),
    );

  add("delete", "delete it; it must be empty").action((options) =>
    onService(options, async ({ client, place, print }) => {
      const answer = await client.deleteQueue(place);
      print(answer, () => [`The queue of ${place.targetBranch} is deleted.`]);
      return exitCodes.done;
    }),
  );
}

function change(options: Parameters<typeof onService>[0], changes: Change): Promise<void> {
  return onService(options, async ({ client, place, print }) => {
    const changed = await client.updateQueue({ ...place, ...changes });
    print(changed, () => [
      `The queue of ${place.targetBranch} is ${renderState(changed.state)}.`,
      ...changed.warnings.map((warning) => `Warning: ${printable(warning)}`),
    ]);
    return exitCodes.done;
  });
}

/** Adds `name=value` to the settings before it. The service checks the names and the values. */
function addSetting(pair: string, earlier: Change = {}): Change {
  const [, name, text] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
  if (name === undefined || text === undefined)
    throw new InvalidArgumentError(`"${pair}" is not of the form setting=value.`);
  return { ...earlier, [name]: readValue(text) };
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
