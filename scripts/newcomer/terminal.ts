import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

export const size = { columns: 80, rows: 24 } as const;
const ctrlC = "\x03";

/** A terminal in which a shell runs one command, as a newcomer sees it. util-linux's `script` makes it, so this needs Linux. */
export class Terminal {
  /** Everything that was written, with control characters. */
  output = "";
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  #hasEnded = false;

  /** @param env the whole environment, except what a terminal sets */
  constructor(command: string, cwd: string, env: Readonly<Record<string, string>>) {
    const sized = `stty rows ${size.rows} cols ${size.columns}; ${command}`;
    this.#child = spawn("script", ["-qfec", sized, "/dev/null"], {
      cwd,
      env: { ...env, TERM: "xterm", SHELL: "/bin/sh" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.output += chunk;
    });
    this.ended = new Promise((resolve) =>
      this.#child.once("close", (code) => {
        this.#hasEnded = true;
        resolve(code);
      }),
    );
  }

  /** What a person reads. */
  get text(): string {
    return stripVTControlCharacters(this.output).replaceAll("\r", "");
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Waits until the text matches.
   *
   * @throws Error when the command ends or the time is over before that
   */
  async shows(pattern: RegExp, withinMs: number): Promise<RegExpExecArray> {
    const until = performance.now() + withinMs;
    for (;;) {
      const match = pattern.exec(this.text);
      if (match) return match;
      if (this.#hasEnded)
        throw new Error(`it ended before it showed ${pattern}:\n${this.text.slice(-2_000)}`);
      if (performance.now() > until)
        throw new Error(`it did not show ${pattern} in ${withinMs} ms:\n${this.text.slice(-2_000)}`);
      await sleep(25);
    }
  }

  /** Types a line, and presses Enter. */
  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Presses Ctrl-C: the terminal sends the signal to all processes of the foreground. */
  interrupt(): void {
    this.#child.stdin?.write(ctrlC);
  }

  /** Ends the terminal, and with it what runs in it. */
  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Lines of the display that are wider or higher than the terminal, so that it scrolls. Each drawing erases what is below. */
export function overflowsOf(output: string): string[] {
  const drawings = output.split("\x1b[J").slice(1, -1);
  return drawings.flatMap((one) => {
    const lines = stripVTControlCharacters(one).replaceAll("\r", "").trimEnd().split("\n");
    // The first line is the address of the page, which may be long.
    const wide = lines.slice(1).filter((line) => line.length >= size.columns);
    return lines.length < size.rows ? wide : [...wide, `${lines.length} lines`];
  });
}

/** Stack traces and other texts that no person should see. */
export function tracesIn(text: string): string[] {
  return text
    .split("\n")
    .filter((line) => /^\s+at .*:\d+:\d+|unsettled|^(\w+)?Error:|UnhandledPromise/.test(line));
}
