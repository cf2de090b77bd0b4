import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

export interface Program {
  readonly file: string;
  /** The name shown in messages. */
  readonly label: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the program when aborted. */
  readonly signal: AbortSignal;
  /** The program's stdin; empty if left out. */
  readonly input?: string;
}

interface Exit {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last characters of its stderr; empty if stderr went to the log. */
  readonly stderr: string;
}

/** Thrown when a program could not be started, or ended with an exit code other than 0. */
export class ProgramFailed extends Error {
  override readonly name = "ProgramFailed";
  readonly isMissing: boolean;
  readonly exit: Exit | null;

  constructor(message: string, exit: Exit | null, isMissing = false) {
    super(message);
    this.exit = exit;
    this.isMissing = isMissing;
  }
}

const hasProcessGroups = process.platform !== "win32";
const keptStderr = 4_096;

/** Where the program's stderr goes: `keep` puts the end of it into the error, `log` writes it to the log as it arrives. */
type Stderr = "keep" | "log";

/** The items that a program prints, in batches. */
export function itemsPrintedBy(
  program: Program,
  separator: "\n" | "\0",
  stderr: Stderr,
): AsyncGenerator<readonly string[]> {
  return splitItems(printedBy(program, stderr), separator);
}

/** The one JSON value that a program prints. @throws ProgramFailed, also when the output is not JSON. */
export async function jsonPrintedBy(program: Program): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of printedBy(program, "keep")) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  try {
    return JSON.parse(text);
  } catch {
    throw new ProgramFailed(`${program.label} printed this instead of JSON: ${text.slice(0, 200)}`, null);
  }
}

/**
 * The output of a program as it arrives. Ends the program when the reader stops.
 *
 * @throws ProgramFailed, or the signal's reason.
 */
export async function* printedBy(program: Program, stderr: Stderr): AsyncGenerator<Buffer> {
  const { file, args, cwd, env, signal, input } = program;
  const stdin = input === undefined ? "ignore" : "pipe";
  const stdio: SpawnOptions["stdio"] = [stdin, "pipe", stderr === "log" ? "inherit" : "pipe"];
  const child = spawn(file, args, { cwd, env, stdio, detached: hasProcessGroups });
  const exit = exitOf(child);
  const end = () => endGroup(child);
  let isOver = false;
  signal.addEventListener("abort", end, { once: true });
  try {
    await started(child, program);
    signal.throwIfAborted();
    // A program that ends before it has read everything reports a failure by its exit code.
    child.stdin?.on("error", () => {}).end(input);
    if (child.stdout) yield* child.stdout;
    const ended = await exit;
    isOver = true;
    if (ended.code !== 0) throw new ProgramFailed(failureText(program, ended), ended);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener("abort", end);
    // If the program ended by itself, processes that it started and left running, such as a build tool's server, keep running.
    if (!isOver) end();
  }
}

/**
 * Runs a program that writes to the log itself, and returns how it ended.
 *
 * @throws ProgramFailed when it could not be started.
 */
export async function runVisibly(program: Program): Promise<Exit> {
  const { file, args, cwd, env, signal } = program;
  const child = spawn(file, args, {
    cwd,
    env,
    stdio: ["ignore", "inherit", "inherit"],
    detached: hasProcessGroups,
  });
  const exit = exitOf(child);
  const end = () => endGroup(child);
  signal.addEventListener("abort", end, { once: true });
  try {
    await started(child, program);
    if (signal.aborted) end();
    return await exit;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Kills a program and the processes that it started, which would otherwise hold the step's log open. */
function endGroup(child: ChildProcess): void {
  child.stdout?.destroy();
  if (child.pid === undefined || !hasProcessGroups) return void child.kill("SIGKILL");
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The program ended in the meantime.
  }
}

async function started(child: ChildProcess, { file }: Program): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (error) {
    const isMissing = Error.isError(error) && "code" in error && error.code === "ENOENT";
    if (isMissing) throw new ProgramFailed(`${file} is not installed on this runner`, null, true);
    throw error;
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-keptStderr);
  });
  return new Promise((resolve) => {
    child.once("close", (code: number | null, signal: NodeJS.Signals | null) =>
      resolve({ code, signal, stderr: stderr.trim() }),
    );
  });
}

function failureText({ label }: Program, { code, signal, stderr }: Exit): string {
  const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
  return `${label} ${how}${stderr === "" ? "" : `: ${stderr}`}`;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment for programs that a step starts. They may be the pull request's own code. So they do not get the step's inputs, which
 * contain its tokens, nor the tokens that the runner gives to Actions but not to `run:` steps.
 */
export function childEnvironment(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(INPUT_|ACTIONS_)/i.test(name)));
}

/** Paths and targets are never longer. */
const maxItem = 1024 * 1024;

/**
 * The items of a UTF-8 stream, in batches as they arrive. Empty items are left out.
 *
 * @throws Error when an item is longer than 1 MiB.
 */
async function* splitItems(
  stream: AsyncIterable<Uint8Array>,
  separator: "\n" | "\0",
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const items = (rest + decoder.decode(chunk, { stream: true })).split(separator);
    rest = items.pop() ?? "";
    if (rest.length > maxItem) throw new Error("it printed an item of more than 1 MiB");
    const whole = items.filter((item) => item !== "");
    if (whole.length > 0) yield whole;
  }
  rest += decoder.decode();
  if (rest !== "") yield [rest];
}
