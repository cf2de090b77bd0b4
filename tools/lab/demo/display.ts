import { setTimeout as sleep } from "node:timers/promises";
import { findEntry } from "./follow-entries.ts";
import type { RunningDemo } from "./run-demo.ts";

const everyMs = 250;
/** For terminals that do not report their size. */
const defaultSize = { columns: 80, rows: 24 };

/**
 * Shows what a demo does: on a terminal one block of lines that is redrawn and fits the terminal, otherwise one line for each
 * event.
 */
export class Display {
  readonly #stream: NodeJS.WriteStream;
  readonly #began = Date.now();
  #step = "";
  #ticking: NodeJS.Timeout | undefined;
  /** The lines that the terminal shows of the block. */
  #drawn = 0;
  #isOver = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** Shows the current step, until the next step. */
  begin(step: string): void {
    if (this.#isOver) return;
    if (!this.#stream.isTTY) return this.#print(`${this.#seconds().padStart(7)}  ${step}`);
    this.#step = step;
    this.#tick();
    this.#ticking ??= setInterval(() => this.#tick(), everyMs);
    this.#ticking.unref();
  }

  /** Shows the state of the queue until the demo has finished. */
  async follow(demo: RunningDemo): Promise<void> {
    const readRows = createRowReader(demo);
    const head = [
      `Watch the queue:  ${demo.page}`,
      ...(demo.invitation === null
        ? []
        : [
            `Try it yourself:  ${demo.invitation}`,
            `                  comment "/trainyard merge" there, as alice`,
          ]),
    ];
    this.#stopTicking();
    if (!this.#stream.isTTY) for (const line of head) this.#print(line);
    const show = this.#stream.isTTY ? (rows: readonly Row[]) => this.#draw(head, rows) : this.#changes();
    let finished = false;
    const ending = demo.finished.finally(() => {
      finished = true;
    });
    while (!finished && !this.#isOver) {
      show(await readRows());
      await Promise.race([sleep(everyMs), ending]);
    }
    show(await readRows());
    this.#drawn = 0;
  }

  /** Leaves the displayed lines in place. Nothing is displayed afterwards. */
  end(): void {
    this.#stopTicking();
    this.#isOver = true;
  }

  #tick(): void {
    this.#redraw([`${this.#step} … ${this.#seconds()}`]);
  }

  #stopTicking(): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #draw(head: readonly string[], rows: readonly Row[]): void {
    const { columns = defaultSize.columns, rows: height = defaultSize.rows } = this.#stream;
    const size = { columns: columns || defaultSize.columns, rows: height || defaultSize.rows };
    this.#redraw(layOut([...head, `After ${this.#seconds()}:`], rows, size));
  }

  #redraw(lines: readonly string[]): void {
    if (this.#isOver) return;
    const back = this.#drawn > 0 ? `\x1b[${this.#drawn}A\r` : "";
    this.#stream.write(`${back}\x1b[J${lines.join("\n")}\n`);
    const columns = this.#stream.columns || defaultSize.columns;
    this.#drawn = lines.reduce((sum, line) => sum + heightOf(line, columns), 0);
  }

  #changes(): (rows: readonly Row[]) => void {
    const shown = new Map<number, string>();
    return (rows) => {
      for (const { number, title, state, why, isRetried } of rows) {
        const changing = isRetried ? `${state}, again` : state;
        if (state === null || changing === null || shown.get(number) === changing) continue;
        shown.set(number, changing);
        this.#print(`${this.#seconds().padStart(7)}  #${number} ${title}: ${state}${why ? ` (${why})` : ""}`);
      }
    };
  }

  #print(line: string): void {
    if (!this.#isOver) this.#stream.write(`${line}\n`);
  }

  #seconds(): string {
    return `${((Date.now() - this.#began) / 1000).toFixed(1)} s`;
  }
}

/** How many lines of the terminal a line takes. Colored lines were cut to one. */
function heightOf(line: string, columns: number): number {
  return line.includes("\x1b") ? 1 : Math.max(1, Math.ceil(line.length / columns));
}

/** Returns a function that reads the current row of each pull request. A merged one is not read again. */
function createRowReader({ client, queue, pullRequests }: RunningDemo): () => Promise<Row[]> {
  const merged = new Map<number, Row>();
  const read = async (number: number, title: string): Promise<Row> => {
    const before = merged.get(number);
    if (before) return before;
    // While the service is killed, the state is not known.
    const entry = await findEntry(client, queue, number).catch(() => null);
    if (entry === null) return { number, title, state: null, why: "", isRetried: false };
    const why = entry.why.map(({ text }) => text).join(" → ");
    const row = { number, title, state: entry.state, why, isRetried: why.includes("known flakes") };
    if (row.state === "merged") merged.set(number, row);
    return row;
  };
  return () => Promise.all(pullRequests.map(({ number, plan }) => read(number, plan.title)));
}

/** What the display shows of a pull request. */
export interface Row {
  readonly number: number;
  readonly title: string;
  /** Null = it has not been submitted. */
  readonly state: string | null;
  readonly why: string;
  /** Whether its jobs are re-run because of known flakes. */
  readonly isRetried: boolean;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const colors: Readonly<Record<string, number>> = {
  testing: 34,
  tests_passed: 32,
  merged: 32,
  failed: 31,
  cancelled: 90,
  pending_failure: 33,
  pending: 37,
  not_ready: 90,
};

/** The states by interest: active ones, those that are next, and ended ones. */
const byInterest = [
  "testing",
  "tests_passed",
  "pending_failure",
  "pending",
  "not_ready",
  "failed",
  "cancelled",
  "merged",
];
const waiting = "not submitted";

/**
 * Lays out the state of a demo for a terminal. The result has fewer lines than the terminal, so that it never scrolls: first the `head`,
 * then the number of pull requests in each state, then as many pull requests as fit, the active ones first. Lines of the head are not cut,
 * because they contain addresses; the others have no more characters than the terminal has columns.
 */
export function layOut(
  head: readonly string[],
  rows: readonly Row[],
  { columns, rows: height }: Size,
): string[] {
  const ofHead = head.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
  const counts = countStates(rows).slice(0, columns - 1);
  // The line of the counts, the line below the table, and the line of the cursor.
  const room = Math.max(0, height - ofHead - 3);
  if (rows.length <= room) return [...head, counts, ...rows.map((row) => renderRow(row, columns))];
  const shown = [...rows].sort((a, b) => interestOf(a) - interestOf(b)).slice(0, room);
  const hidden = rows.filter((row) => !shown.includes(row));
  const rest = `      and ${hidden.length} more: ${countStates(hidden)}`.slice(0, columns - 1);
  return [...head, counts, ...shown.map((row) => renderRow(row, columns)), rest];
}

function renderRow({ number, title, state, why }: Row, columns: number): string {
  const name = state ?? "";
  const plain = `${`#${number}`.padStart(5)}  ${title.padEnd(30).slice(0, 30)}  ${name.padEnd(15)}  ${why}`;
  const cut = plain.slice(0, columns - 1).trimEnd();
  return name === "" ? cut : cut.replace(`  ${name}`, `  \x1b[${colors[name] ?? 90}m${name}\x1b[0m`);
}

function interestOf({ state }: Row): number {
  const rank = byInterest.indexOf(state ?? "");
  return state === null ? byInterest.indexOf("not_ready") + 0.5 : rank;
}

/** For example `3 merged, 4 testing, 23 pending`. */
function countStates(rows: readonly Row[]): string {
  const counts = Map.groupBy(rows, ({ state }) => state ?? waiting);
  const names = [...byInterest, waiting].filter((name) => counts.has(name)).reverse();
  return names.map((name) => `${counts.get(name)?.length} ${name}`).join(", ");
}
