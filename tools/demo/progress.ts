import { setTimeout as sleep } from "node:timers/promises";
import type { RunningDemo } from "./run-demo.ts";

interface Row {
  readonly number: number;
  readonly title: string;
  readonly state: string;
  readonly why: string;
  /** Whether its jobs are re-run because of known flakes. */
  readonly isRetried: boolean;
}

const everyMs = 250;

/** Shows the state of the queue until the demo has finished: a table that is redrawn, or one line for each change. */
export async function showProgress(demo: RunningDemo, stream: NodeJS.WriteStream): Promise<void> {
  const show = stream.isTTY ? tableOn(stream) : linesOn(stream);
  let finished = false;
  const ending = demo.finished.finally(() => {
    finished = true;
  });
  while (!finished) {
    show(await readRows(demo));
    await Promise.race([sleep(everyMs), ending]);
  }
  show(await readRows(demo));
}

async function readRows({ client, queue, pullRequests }: RunningDemo): Promise<Row[]> {
  const numbers = pullRequests.map(({ number }) => ({ number }));
  return Promise.all(
    numbers.map(async ({ number }, index): Promise<Row> => {
      const title = pullRequests[index]?.plan.title ?? "";
      try {
        const entry = await client.getSubmittedPullRequest({ ...queue, pr: { number } });
        const why = entry.why.map(({ text }) => text).join(" → ");
        return { number, title, state: entry.state, why, isRetried: why.includes("known flakes") };
      } catch {
        // The pull request is not submitted yet, or the service is down.
        return { number, title, state: "—", why: "", isRetried: false };
      }
    }),
  );
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

function tableOn(stream: NodeJS.WriteStream): (rows: readonly Row[]) => void {
  let drawn = 0;
  return (rows) => {
    const width = Math.max(60, stream.columns ?? 100);
    const lines = rows.map(({ number, title, state, why }) => {
      const plain = `${`#${number}`.padStart(4)}  ${title.padEnd(30).slice(0, 30)}  ${state.padEnd(15)}  ${why}`;
      const cut = plain.slice(0, width - 1);
      return cut.replace(state, `\x1b[${colors[state] ?? 90}m${state}\x1b[0m`);
    });
    stream.write(`${drawn > 0 ? `\x1b[${drawn}A` : ""}${lines.map((line) => `\x1b[2K${line}\n`).join("")}`);
    drawn = lines.length;
  };
}

function linesOn(stream: NodeJS.WriteStream): (rows: readonly Row[]) => void {
  const shown = new Map<number, string>();
  const began = Date.now();
  return (rows) => {
    for (const { number, title, state, why, isRetried } of rows) {
      const changing = isRetried ? `${state}, again` : state;
      if (state === "—" || shown.get(number) === changing) continue;
      shown.set(number, changing);
      const seconds = ((Date.now() - began) / 1000).toFixed(1).padStart(5);
      stream.write(`${seconds} s  #${number} ${title}: ${state}${why ? ` (${why})` : ""}\n`);
    }
  };
}
