import { execFileSync } from "node:child_process";
import { styleText } from "node:util";
import { type Command, InvalidArgumentError, Option } from "commander";
import { ApiError, createClient, NetworkError, type TrainyardClient } from "../../client/client.ts";
import type { QueuePlace } from "../../mcp/mcp-server.ts";
import { type OutcomeName, outcomes } from "../exit-codes.ts";
import { ownAddress } from "../own-address.ts";
import { printable, printerOf, printFailure } from "../print-json.ts";
import { callThisMachineDirectly, useProxies } from "../proxies.ts";
import { readVersion } from "../version.ts";
import { CallImpossible, readCredential } from "./credentials.ts";

export interface PlaceOptions {
  readonly url?: string;
  readonly repo?: string;
  readonly branch?: string;
}

interface RemoteOptions extends PlaceOptions {
  readonly json?: boolean;
  /** Replaces the token of the environment. */
  readonly token?: string;
}

/** The interval at which a waiting command asks again. */
export const pollMs = 5_000;

/** The endpoint whose answer a command prints with `--json`. */
export const answers = new WeakMap<Command, keyof TrainyardClient>();

/** The client, the queue and the output of a command that calls the service. */
export interface Remote {
  readonly client: TrainyardClient;
  readonly place: QueuePlace;
  /** Prints the answer as JSON if that was asked for, else for people. */
  readonly print: (answer: object, lines: () => readonly string[]) => void;
}

/** Adds the options of every command that calls the service. `--json` prints the answer of the endpoint. */
export function withRemoteOptions(command: Command, endpoint: keyof TrainyardClient): Command {
  answers.set(command, endpoint);
  return withPlaceOptions(command).option("--json", `print the answer of ${endpoint} as JSON`);
}

/** Adds the options of a command that lists what the token may see. */
export function withListOptions(command: Command, endpoint: keyof TrainyardClient): Command {
  answers.set(command, endpoint);
  return withAddress(command)
    .option("--repo <owner/name>", "only this repository, with its host before it if that is not github.com")
    .option("--json", `print the answer of ${endpoint} as JSON`);
}

/** Adds the options that name the service and the queue. */
export function withPlaceOptions(command: Command): Command {
  return withAddress(command)
    .option(
      "--repo <owner/name>",
      "the repository, with its host before it if that is not github.com; default: the checkout's origin",
    )
    .option("--branch <branch>", "the branch of the queue; default: the default branch of the checkout");
}

/** Adds the option that names the service. */
export function withAddress(command: Command): Command {
  return command.addOption(
    new Option("--url <url>", "the address of the service; default: the one on this machine")
      .env("TRAINYARD_URL")
      .argParser(readAddress),
  );
}

/** The address of the service in a normalised spelling. */
export function serviceOf({ url }: { readonly url?: string | undefined }): string {
  return new URL(url || ownAddress(process.env)).href.replace(/\/+(v1\/*)?$/, "");
}

/** `.env` of the current folder is not read: here it may be that of a stranger's checkout, and name where the token goes. */
export function connect(options: RemoteOptions): TrainyardClient {
  const sent = secretFor(options);
  return createClient({
    baseUrl: serviceOf(options),
    ...(sent ? { token: sent } : {}),
    userAgent: `trainyard-cli/${readVersion()}`,
  });
}

/** What identifies the user of these commands at a service. */
export function secretFor({ url, token = process.env.TRAINYARD_TOKEN }: RemoteOptions): string | undefined {
  return token || readCredential(serviceOf({ url }))?.secret;
}

/**
 * Runs a command about one queue against the service. Its failures become one line and an exit code.
 *
 * @throws every error except answers of the service and failures to reach it
 */
export function onService(
  options: RemoteOptions,
  run: (remote: Remote) => Promise<OutcomeName>,
): Promise<void> {
  return onOrganisation(options, (remote) => run({ ...remote, place: placeOf(options) }));
}

/** Like `onService`, for a command about everything that the token may see. */
export async function onOrganisation(
  options: RemoteOptions,
  run: (remote: Omit<Remote, "place">) => Promise<OutcomeName>,
): Promise<void> {
  try {
    useProxiesToService();
    process.exitCode = outcomes[await run({ client: connect(options), print: printerOf(options.json) })].code;
  } catch (error) {
    const failure = describeFailure(error);
    if (failure === null) throw error;
    printFailure(failure.code, failure.detail, options.json);
    process.exitCode = outcomes.failed.code;
  }
}

/** @throws CallImpossible when the address of a proxy is invalid */
function useProxiesToService(): void {
  const env = { ...process.env };
  callThisMachineDirectly(env);
  useProxies(
    {
      info() {},
      warn: (_fields: object, text: string) => console.error(text),
      error(_fields: object, text: string) {
        throw new CallImpossible(`${text}.`);
      },
    },
    env,
  );
}

/** The service may be restarted while a command waits, so unanswered requests are repeated. */
export function keepIfUnanswered<T>(earlier: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof NetworkError) return earlier;
    throw error;
  };
}

function describeFailure(error: unknown): { readonly code: string; readonly detail: string } | null {
  if (error instanceof ApiError) {
    const detail =
      error.code === "TOKEN_MISSING"
        ? "Nobody is signed in here, and TRAINYARD_TOKEN is not set. Run `trainyard login`, or set it to an API token (trainyard token create)."
        : error.detail;
    return { code: error.code ?? "UNEXPECTED_ANSWER", detail };
  }
  if (error instanceof NetworkError)
    return {
      code: "NO_ANSWER",
      detail: `${error.message} TRAINYARD_URL or --url names the service, "trainyard serve" starts it.`,
    };
  return error instanceof CallImpossible ? { code: error.code, detail: error.message } : null;
}

/** The checkout does not show what the command is about. */
export class UnknownPlace extends CallImpossible {
  override readonly name = "UnknownPlace";
  override readonly code = "PLACE_UNKNOWN";
}

export function placeOf({ repo, branch }: PlaceOptions): QueuePlace {
  const named = repo === undefined ? originOfCheckout() : readRepository(repo);
  if (named === null)
    throw new UnknownPlace("This folder has no remote named origin. Name it with --repo OWNER/NAME.");
  return { repo: named, targetBranch: branch ?? defaultBranchOfCheckout() ?? "main" };
}

/** @throws UnknownPlace when the text names no repository */
export function readRepository(text: string): QueuePlace["repo"] {
  const [, host = process.env.GHE_HOST || "github.com", owner, name] =
    /^(?:([^/\s]+)\/)?([\w.-]+)\/([\w.-]+)$/.exec(text) ?? [];
  if (!owner || !name) throw new UnknownPlace(`"${text}" is no repository. Name it with --repo OWNER/NAME.`);
  return { host, owner, name };
}

/** Reads `https://HOST/OWNER/NAME.git`, `git@HOST:OWNER/NAME.git` and `ssh://git@HOST/OWNER/NAME`. */
function originOfCheckout(): QueuePlace["repo"] | null {
  const origin = git("remote", "get-url", "origin");
  const [, host, owner, name] =
    /^(?:\w+:\/\/)?(?:[^@/]+@)?([^/]+?)[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(origin ?? "") ?? [];
  return host && owner && name ? { host, owner, name } : null;
}

function defaultBranchOfCheckout(): string | null {
  return git("symbolic-ref", "--short", "refs/remotes/origin/HEAD")?.replace(/^origin\//, "") ?? null;
}

/** The branch that is checked out; null outside a checkout, and when no branch is. */
export function currentBranch(): string | null {
  return git("symbolic-ref", "--short", "HEAD");
}

function git(...args: string[]): string | null {
  try {
    const text = execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return text.trim() || null;
  } catch {
    // Outside a checkout. The caller reports what is missing.
    return null;
  }
}

/** An empty variable counts as not set. */
function readAddress(text: string): string {
  if (text === "" || (/^https?:/.test(text) && URL.canParse(text))) return text;
  throw new InvalidArgumentError("It must be an address such as https://trainyard.example.com.");
}

/** Reads a duration such as `90s`, `30m` or `2h`, in milliseconds. */
export function readDuration(text: string): number {
  const [, amount, unit = "s"] = /^(\d+)\s*(s|m|h)?$/.exec(text) ?? [];
  if (amount === undefined) throw new InvalidArgumentError("It must be a duration such as 90s, 30m or 2h.");
  return Number(amount) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit as "s" | "m" | "h"];
}

export function readWhole(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number, at least 1.");
}

export function readNumber(text: string): number {
  const [, number] = /^#?([1-9]\d{0,9})$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError("It must be a number of a pull request.");
  return Number(number);
}

const colours: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  merged: "magenta",
  running: "green",
  testing: "cyan",
  tests_passed: "green",
  failed: "red",
  pending_failure: "red",
  paused: "yellow",
  draining: "yellow",
};

/** A state as people read it, coloured on a terminal that wants colours. */
export function renderState(state: string): string {
  const text = printable(state.replaceAll("_", " "));
  const colour = colours[state];
  return colour === undefined ? text : styleText(colour, text, { stream: process.stdout });
}
