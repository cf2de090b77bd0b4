import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { Progress } from "../../tools/simulator/progress.ts";
import { Trainyard } from "../cli/run-trainyard.ts";

/** Shows progress at the given times. Returns what was written. */
function shownAt(isTTY: boolean, times: readonly number[]): string {
  let text = "";
  let now = 0;
  const write = (part: string) => {
    text += part;
  };
  const progress = new Progress({ isTTY, write }, "ours: submitted", () => now);
  for (const [index, at] of times.entries()) {
    now = at;
    progress.advance(index, 10);
  }
  progress.end();
  return text;
}

test("on a terminal the progress is one line that is rewritten every second and removed at the end", () => {
  const text = shownAt(true, [300, 1_000, 1_500, 2_100]);
  expect(text).toBe("\r\x1b[Kours: submitted 1 of 10, 1 s\r\x1b[Kours: submitted 3 of 10, 2 s\r\x1b[K");
});

test("in a log the progress is a line every five seconds", () => {
  expect(shownAt(false, [1_000, 5_000, 6_000, 11_000])).toBe(
    "ours: submitted 1 of 10, 5 s\nours: submitted 3 of 10, 11 s\n",
  );
});

test("a long simulation shows how many pull requests have been submitted", async () => {
  const directory = mkdtempSync(join(tmpdir(), "simulate-"));
  const options = ["--preset", "github", "--rate", "500", "--hours", "8"];
  const command = new Trainyard(["simulate", ...options], {}, directory);
  await command.says(/^ours: submitted \d+ of \d+, \d+ s$/m);
  command.child.kill("SIGKILL");
  await command.finished;
  rmSync(directory, { recursive: true });
});
