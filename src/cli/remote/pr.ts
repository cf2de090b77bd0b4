import { setTimeout as sleep } from "node:timers/promises";
import { Argument, type Command } from "commander";
import type { AnswerOf, RequestOf, TrainyardClient } from "../../client/client.ts";
import type { OutcomeName } from "../exit-codes.ts";
import { printable } from "../print-json.ts";
import {
  currentBranch,
  keepIfUnanswered,
  onService,
  pollMs,
  type Remote,
  readDuration,
  readNumber,
  renderState,
  UnknownPlace,
  withRemoteOptions,
} from "./service.ts";

type PullRequest = AnswerOf<"getSubmittedPullRequest">;

const ended: ReadonlySet<string> = new Set<PullRequest["state"]>(["merged", "failed", "cancelled"]);

/** Adds the subcommands of `trainyard pr`: what an author does with a pull request. */
export function definePr(pr: Command): void {
  const add = (name: string, endpoint: keyof TrainyardClient, what: string) =>
    withRemoteOptions(pr.command(name).description(what), endpoint);
  const number = () =>
    new Argument("[number]", "the pull request; default: that of the branch that is checked out").argParser(
      readNumber,
    );

  add("status", "getSubmittedPullRequest", "show its state, its place and when it merges")
    .addArgument(number())
    .action((pull, options) =>
      onService(options, async (remote) => {
        const found = await find(remote, pull);
        remote.print(found, () => describe(found));
        return "done";
      }),
    );

  add("why", "explainPullRequest", "explain why it waits, or why it left, from the outermost cause")
    .addArgument(number())
    .action((pull, options) =>
      onService(options, async (remote) => {
        const { prNumber } = await find(remote, pull);
        const explained = await remote.client.explainPullRequest({
          ...remote.place,
          pr: { number: prNumber },
        });
        const { state, text, why } = explained;
        // The only cause may be what the first line says.
        const isSaid = why.length === 1 && why[0]?.text === text;
        remote.print(explained, () => [
          `#${prNumber} ${renderState(state)}: ${printable(text)}${isSaid ? ` (since ${why[0]?.since})` : ""}`,
          ...(isSaid ? [] : why).map(({ text, since }) => `  ${printable(text)} (since ${since})`),
        ]);
        return "done";
      }),
    );

  add("wait", "getSubmittedPullRequest", "wait until it has merged or left the queue")
    .addArgument(number())
    .option("--timeout <duration>", "how long to wait, such as 90s, 30m or 2h", readDuration)
    .option("--no-block", "do not wait: end with 3 if it is still in the queue")
    .action((pull, options) => onService(options, (remote) => waitFor(remote, pull, options)));

  add("submit", "submitPullRequest", "put it into the queue")
    .addArgument(new Argument("<number>", "the pull request").argParser(readNumber))
    .option("--sha <sha>", "the whole SHA of the head that may merge; any other is refused")
    .option("--priority <name>", "a priority of the queue, or a number")
    .option("--no-batch", "test it by itself")
    .action((pull, options) =>
      onService(options, async ({ client, place, print }) => {
        const request: RequestOf<"submitPullRequest"> = {
          ...place,
          pr: { number: pull, ...(options.sha === undefined ? {} : { sha: options.sha }) },
          ...(options.priority === undefined ? {} : { priority: options.priority }),
          ...(options.batch ? {} : { noBatch: true }),
        };
        const submitted = await client.submitPullRequest(request);
        print(submitted, () => describe(submitted));
        return "done";
      }),
    );

  add("priority", "submitPullRequest", "give it another priority in the queue")
    .addArgument(new Argument("<number>", "the pull request").argParser(readNumber))
    .argument("<priority>", "a priority of the queue, or a number")
    .action((pull, priority, options) =>
      onService(options, async ({ client, place, print }) => {
        const submitted = await client.submitPullRequest({ ...place, pr: { number: pull }, priority });
        print(submitted, () => describe(submitted));
        return "done";
      }),
    );

  for (const [name, what, endpoint] of [
    ["cancel", "take it out of the queue", "cancelPullRequest"],
    ["restart", "test it again; it keeps its place", "restartTestsOnPullRequest"],
  ] as const)
    add(name, endpoint, what)
      .addArgument(number())
      .action((pull, options) =>
        onService(options, async (remote) => {
          const { prNumber } = await find(remote, pull);
          const changed = await remote.client[endpoint]({ ...remote.place, pr: { number: prNumber } });
          remote.print(changed, () => describe(changed));
          return "done";
        }),
      );

  add("try", "tryPullRequest", "test it on the base without queueing it; it never merges")
    .addArgument(new Argument("<number>", "the pull request").argParser(readNumber))
    .action((pull, options) =>
      onService(options, async ({ client, place, print }) => {
        const tried = await client.tryPullRequest({ ...place, pr: { number: pull } });
        print(tried, () => [`#${pull} is tested on ${place.targetBranch}, and does not merge.`]);
        return "done";
      }),
    );
}

/** Reads a pull request by its number, or by the branch that is checked out. @throws UnknownPlace when none is */
async function find({ client, place }: Remote, number: number | undefined): Promise<PullRequest> {
  if (number !== undefined) return client.getSubmittedPullRequest({ ...place, pr: { number } });
  const branch = currentBranch();
  if (branch === null)
    throw new UnknownPlace("No branch is checked out here. Name the pull request by its number.");
  return client.getSubmittedPullRequest({ ...place, pr: { branch } });
}

async function waitFor(
  remote: Remote,
  number: number | undefined,
  { timeout, block }: { timeout?: number; block: boolean },
): Promise<OutcomeName> {
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeout;
  let found = await find(remote, number);
  let told = "";
  for (;;) {
    const isOver = ended.has(found.state);
    const line = describe(found)[0] ?? "";
    if (isOver || !block || Date.now() >= deadline) {
      remote.print(found, () => describe(found));
      if (found.state === "merged") return "done";
      if (isOver) return "needsWork";
      return block ? "timedOut" : "inFlight";
    }
    if (line !== told) console.error(line);
    told = line;
    await sleep(Math.min(pollMs, deadline - Date.now()));
    found = await find(remote, found.prNumber).catch(keepIfUnanswered(found));
  }
}

function describe({
  prNumber,
  prTitle,
  state,
  position,
  why,
  forecast,
  merged,
}: PullRequest): readonly string[] {
  const place = position === null ? "" : `, number ${position} in the queue`;
  const cause = why.at(-1);
  return [
    `#${prNumber} ${printable(prTitle)}: ${renderState(state)}${place}`,
    ...(merged === null
      ? []
      : [`  as ${merged.sha}, proof: ${merged.proof?.replaceAll("_", " ") ?? "none, its tree differs"}`]),
    ...(cause === undefined || merged !== null ? [] : [`  ${printable(cause.text)}`]),
    ...(forecast === null ? [] : [`  merges about ${forecast.p50}, at worst ${forecast.p90}`]),
  ];
}
