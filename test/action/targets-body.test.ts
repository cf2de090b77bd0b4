import { describe, expect, test } from "@jest/globals";
import { TargetsBody } from "../../src/action/targets/targets-body.ts";
import fc from "../drawn.ts";

const request = { repo: { host: "github.com", owner: "acme", name: "widgets" }, targetBranch: "main" };
const targets = fc.array(
  fc.string({ unit: "binary", maxLength: 300 }).map((text) => text.replaceAll("\0", "")),
  {
    maxLength: 200,
    size: "max",
  },
);

function encode(list: readonly string[], limit: number) {
  const body = new TargetsBody(request, limit);
  for (const target of list) body.add(target);
  return body;
}

describe("the request body of a list of targets", () => {
  test("equals the output of JSON.stringify, and reports its size in bytes", () => {
    fc.assert(
      fc.property(targets, (list) => {
        const expected = Buffer.from(JSON.stringify({ ...request, impactedTargets: list }));
        const body = encode(list, expected.length).finish();
        expect(Buffer.concat(body?.chunks ?? [])).toEqual(expected);
        expect(body?.byteLength).toBe(expected.length);
      }),
    );
  });

  test("is rejected when it exceeds the limit by one byte, but its size is still counted", () => {
    fc.assert(
      fc.property(targets, (list) => {
        const { length } = Buffer.from(JSON.stringify({ ...request, impactedTargets: list }));
        const body = encode(list, length - 1);
        expect(body.finish()).toBeNull();
        expect(body).toMatchObject({ byteLength: length, count: list.length, isTooLarge: true });
      }),
    );
  });

  test("accepts a target of 4,096 bytes, and rejects a longer one and one with a NUL", () => {
    const body = new TargetsBody(request);
    body.add("ü".repeat(2048));
    expect(() => body.add(`${"ü".repeat(2048)}x`)).toThrow("target 2 is longer than 4096 bytes");
    expect(() => body.add("a\0b")).toThrow("target 2 contains a NUL character");
    expect(body.count).toBe(1);
  });
});
