import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { parseDocumented } from "../cli/documented.ts";
import { type Finished, Trainyard } from "../cli/run-trainyard.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "simulate-"));
});

afterEach(() => rmSync(directory, { recursive: true }));

async function simulate(...args: string[]): Promise<Finished> {
  return new Trainyard(["simulate", ...args], {}, directory).finished;
}

function lines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split("\n")
    .map((line) => parseDocumented("simulate", `${line}\n`));
}

const fields = ["policy", "merged", "rejected", "falseRejections", "broken", "p50", "p95", "p99"];
const moreFields = ["meanMinutes", "ciMinutesPerMerged", "runsPerPr", "mergedPerHour", "events", "wallMs"];

describe("npm run simulate", () => {
  test("prints one summary as JSON to stdout, and as text to stderr", async () => {
    const { code, out, err } = await simulate("--preset", "small-team", "--seed", "2", "--json");
    expect([code, lines(out).length]).toEqual([0, 1]);
    const [summary = {}] = lines(out);
    expect(Object.keys(summary)).toEqual(["formatVersion", ...fields, ...moreFields]);
    expect(summary).toMatchObject({ formatVersion: 1, policy: "ours", broken: 0 });
    expect(Number(summary.merged) + Number(summary.rejected)).toBe(48);
    expect(err).toMatch(/^ours: of 48 pull requests \d+ merged/);
  });

  test("prints only text to stderr without --json", async () => {
    const { code, out, err } = await simulate(
      "--preset",
      "small-team",
      "--policy",
      "oracle,serial",
      "--per-pr",
    );
    expect([code, out]).toEqual([0, ""]);
    expect(err).toMatch(/^#1 submitted at \d+\.\d: merged after/);
    expect(err).toContain("serial: of 48");
  });

  test("gives the same results per pull request for a workload that it saved to a file", async () => {
    const file = join(directory, "workload.jsonl");
    const model = [
      "--preset",
      "github",
      "--rate",
      "20",
      "--hours",
      "1",
      "--workers",
      "5",
      "--policy",
      "oracle",
    ];
    const generated = await simulate(...model, "--save", file, "--json", "--per-pr");
    const read = await simulate("--workload", file, "--policy", "oracle", "--json", "--per-pr");
    expect(readFileSync(file, "utf8")).toMatch(/^\{"type":"settings","workers":5,/);
    expect(lines(read.out)).toHaveLength(21);
    expect(lines(read.out).slice(0, 20)).toEqual(lines(generated.out).slice(0, 20));
    expect(lines(read.out)[0]).toMatchObject({ n: 1, ending: expect.any(String), runs: 1 });
  });

  test("accepts the queue's settings in the format of updateQueue", async () => {
    const queue = `{"mode":"SINGLE","concurrency":1,"batch":false}`;
    const { code, out } = await simulate("--preset", "small-team", "--queue", queue, "--json");
    expect(code).toBe(0);
    expect(Number(lines(out)[0]?.runsPerPr)).toBeLessThan(1.2);
  });

  test("runs a grid and compares it with the oracle", async () => {
    const { code, out, err } = await simulate(
      ...["--grid", "--rate", "40", "--workers", "20", "--hours", "2", "--seeds", "1,2"],
      ...["--policy", "submitqueue", "--json"],
    );
    expect(code).toBe(0);
    const results = lines(out);
    expect(results.map(({ type }) => type).sort()).toEqual([...Array(4).fill("cell"), "total", "total"]);
    expect(results.at(-2)).toMatchObject({ policy: "oracle", p50ToOracle: 1, p99ToOracle: 1, cells: 2 });
    expect(results.at(-1)).toMatchObject({
      formatVersion: 1,
      policy: "submitqueue",
      violations: 0,
      broken: 0,
    });
    expect(err).toContain("| 40 | 20 | submitqueue |");
  });

  test.each([
    [["--preset", "huge"], /There is no preset "huge"/],
    [["--policy", "ours,theirs"], /There is no policy "theirs"/],
    [["--seed", "x"], /--seed must be a whole number of 0 or more, not "x"/],
    [["--flake", "1.5"], /--flake must be a share from 0 to 1, not "1.5"/],
    [["--queue", "{"], /--queue must be a JSON object/],
    [["--queue", `{"batchSize":3}`], /there is no setting "batchSize"/],
    [["--queue", `{"mode":"both"}`], /"mode" must be single or parallel, not "both"/],
    [["--queue", `{"concurrency":0}`], /"concurrency" must be a whole number/],
    [["--workload", "a", "--rate", "3"], /leave out what generates others/],
    [["--nonsense"], /unknown option '--nonsense'.*--help/],
    [["--workload", "nowhere"], /nowhere cannot be read/],
  ])("exits with code 2 and explains what is wrong with %j", async (args, text) => {
    const { code, out, err } = await simulate(...args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(text);
  });

  test("names the wrong line of a workload", async () => {
    const file = join(directory, "workload.jsonl");
    writeFileSync(file, `{"type":"cancel","n":1,"at":-1}\n`);
    const { code, err } = await simulate("--workload", file);
    expect([code, err]).toEqual([2, `${file}: line 1: "at" is -1, but must be a number of 0 or more\n`]);
  });
});
