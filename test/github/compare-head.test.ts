import { expect, test } from "@jest/globals";
import { compareHead } from "../../src/github/test-commits/comparisons.ts";
import { commitOn, tipOf } from "../sandbox/commit-on-branch.ts";
import { apiOf, inSandbox } from "../sandbox/scene.ts";

const linesOf = (changes: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, index) => `${changes[index] ?? `line ${index}`}\n`).join("");

test("heads have the same patch if they change the same lines in the same context, wherever these stand", () =>
  inSandbox(async ({ asAdmin, asInstallation: app }) => {
    const old = await commitOn(asAdmin, await tipOf(asAdmin, "main"), {
      "a.txt": linesOf(),
      "b.bin": "\0one",
    });
    const fix = { 20: "fixed" };
    const head = await commitOn(asAdmin, old, { "a.txt": linesOf(fix), "b.bin": "\0two" });
    const main = await commitOn(asAdmin, old, { "a.txt": `new\n${linesOf()}`, "c.txt": "c\n" });
    const patchOf = async (head: string, base = main) => (await compareHead(apiOf(app), base, head)).patch;
    const before = await patchOf(head);
    expect(before).not.toBeNull();
    const on = async (text: string, more: Record<string, string | null> = {}) =>
      patchOf(await commitOn(asAdmin, main, { "a.txt": text, "b.bin": "\0two", ...more }));
    expect(await on(`new\n${linesOf(fix)}`)).toBe(before);
    for (const other of [
      on(`new\n${linesOf({ 20: "fixed " })}`),
      on(`new\n${linesOf({ ...fix, 2: "more" })}`),
      on(`new\n${linesOf({ ...fix, 18: "nearby" })}`),
      on(linesOf(fix)),
      on(`new\n${linesOf(fix)}`, { "b.bin": "\0three" }),
      on(`new\n${linesOf(fix)}`, { "c.txt": null }),
      on(`new\n${linesOf(fix)}`, { "d.txt": "" }),
    ])
      expect(await other).not.toBe(before);
    expect(await patchOf(main)).toBeNull();
  }));
