import { execFile } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "@jest/globals";
import { play } from "../../tools/simulator/soak/play.ts";
import { readFixture } from "../../tools/simulator/soak/shrink.ts";
import { findFunction } from "../engine/mutations/engine-module.ts";

const root = resolve(import.meta.dirname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "soak-"));
afterAll(() => rmSync(scratch, { recursive: true }));

/** A directory with a copy of the program whose engine ignores pushes. */
function copyThatIgnoresPushes(): string {
  const copy = join(scratch, "copy");
  for (const part of ["src", "tools/command-options.ts", "tools/simulator", "package.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const { url, place } = findFunction("withdrawalOf");
  const blind = "(original) => (tested, facts) => original({ ...tested, headSha: facts.headSha }, facts)";
  appendFileSync(join(copy, relative(root, fileURLToPath(url))), `${place} = (${blind})(${place});\n`);
  return copy;
}

interface Ended {
  readonly code: number;
  readonly lines: readonly Record<string, unknown>[];
  readonly told: string;
}

function soak(...args: string[]): Promise<Ended> {
  return soakIn(root, args);
}

function soakIn(directory: string, args: readonly string[]): Promise<Ended> {
  const options = ["--disable-warning=ExperimentalWarning", join(directory, "src/main.ts"), "soak", ...args];
  return new Promise((done) => {
    execFile(process.execPath, options, (error, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line !== "");
      done({ code: Number(error?.code ?? 0), lines: lines.map((line) => JSON.parse(line)), told: stderr });
    });
  });
}

describe("npm run soak", () => {
  test("plays the requested number of seeds, and prints a summary", async () => {
    const { code, lines, told } = await soak("--seeds", "100", "--json", "--fixtures", scratch);
    expect(code).toBe(0);
    expect(lines).toEqual([
      { type: "summary", seeds: 100, events: expect.any(Number), seconds: expect.any(Number), violations: 0 },
    ]);
    expect(Number(lines[0]?.events)).toBeGreaterThan(10_000);
    expect(told).toMatch(/^\d+ events over 100 seeds in [\d.]+ s: 0 violations$/m);
    expect(readdirSync(scratch)).toEqual([]);
  });

  test("plays the same events for the same seeds, and others for other seeds", async () => {
    const [first, ...others] = await Promise.all([
      soak("--seeds", "30", "--json"),
      soak("--seeds", "30", "--json"),
      soak("--seeds", "30", "--from", "61", "--json"),
    ]);
    const [again, elsewhere] = others.map(({ lines }) => lines[0]?.events);
    expect(again).toBe(first?.lines[0]?.events);
    expect(elsewhere).not.toBe(again);
  });

  test("reduces a scenario that breaks an invariant to a fixture, and exits with code 1", async () => {
    const engine = copyThatIgnoresPushes();
    const args = ["--seeds", "40", "--json", "--fixtures", join(scratch, "found")];
    const { code, lines, told } = await soakIn(engine, args);
    expect(code).toBe(1);
    const [summary, violation] = lines;
    expect(summary).toMatchObject({ type: "summary", seeds: 40 });
    expect(Number(summary?.violations)).toBeGreaterThan(0);
    expect(violation).toMatchObject({
      type: "violation",
      violation: expect.stringMatching(/^I6: /),
      steps: 2,
    });
    const file = String(violation?.file);
    expect(told).toContain(`reduced to 2 steps: ${file}`);
    expect(readFixture(file).scenario.steps.map((step) => step.do)).toContain("push");
    expect(play(readFixture(file).scenario).violation).toBeNull();
  });

  test.each([
    [["--seeds", "none"], '--seeds must be a whole number from 1 to 1000000000, not "none"; see --help'],
    [["--from", "0"], '--from must be a whole number from 1 to 1000000000, not "0"; see --help'],
    [["--sedes", "3"], "unknown option '--sedes' (Did you mean --seeds?)"],
  ])("refuses %j in one line", async (args, problem) => {
    const { code, told } = await soak(...args);
    expect(code).toBe(2);
    expect(told).toContain(problem);
    expect(told.trimEnd().split("\n")).toHaveLength(1);
  });
});
