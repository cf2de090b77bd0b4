import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type BazelTarget, readTargets } from "../../../src/action/providers/bazel/build-proto.ts";
import fc from "../../drawn.ts";

const { runs } = JSON.parse(readFileSync(join(import.meta.dirname, "recorded/bazel.json"), "utf8"));
const [printed] = Object.entries<{ base64?: string }>(runs).flatMap(([key, { base64 }]) =>
  key.includes("[base]: ") && base64 ? [Buffer.from(base64, "base64")] : [],
);
const bytes = printed ?? Buffer.alloc(0);

async function read(chunks: readonly Buffer[]): Promise<BazelTarget[]> {
  const targets: BazelTarget[] = [];
  for await (const target of readTargets(streamOf(chunks))) targets.push(target);
  return targets;
}

async function* streamOf(chunks: readonly Buffer[]) {
  yield* chunks;
}

describe("the output of bazel query", () => {
  test("is read target by target, each with its inputs", async () => {
    const targets = await read([bytes]);
    const inputs = Object.fromEntries(targets.map(({ label, kind, inputs }) => [label, [kind, ...inputs]]));
    expect(inputs).toMatchObject({
      "//app:app": expect.arrayContaining(["rule", "//lib:lib.out"]),
      "//app:app.out": ["generated", "//app:app"],
      "//lib:a.txt": ["source"],
    });
  });

  test("is read alike however it is split into chunks", async () => {
    const whole = await read([bytes]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
        const ends = [...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
        expect(await read(chunks)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  test("is rejected when it is cut off or has another format", async () => {
    await expect(read([bytes.subarray(0, -1)])).rejects.toThrow("in the middle of a target");
    await expect(read([Buffer.from("//app:app\n")])).rejects.toThrow("bazel query");
  });
});
