import { describe, expect, test } from "@jest/globals";
import { NamedTargets } from "../../src/api/bodies/named-targets.ts";
import { parseAroundTargets } from "../../src/api/bodies/read-targets.ts";
import fc from "../drawn.ts";
import { draws } from "../sampled.ts";

/** Parses a body around its targets; null if the fast parser leaves it to the general parser. */
function read(text: string | Buffer): Record<string, unknown> | null {
  return parseAroundTargets(Buffer.from(text)) as Record<string, unknown> | null;
}

/** The same result by `JSON.parse`; null if that fails or finds no list of names. */
function naive(text: string): Record<string, unknown> | null {
  try {
    const body = JSON.parse(text);
    const names = body?.impactedTargets;
    const isList =
      Array.isArray(names) && names.every((name) => typeof name === "string" && !name.includes("\0"));
    return isList ? { ...body, impactedTargets: NamedTargets.of(names) } : null;
  } catch {
    return null;
  }
}

const name = fc.oneof(
  fc.string({ unit: "grapheme-ascii" }),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "//a:b",
    "costarring",
    "liquid",
    '"',
    "\\",
    "[",
    "]",
    ",",
    "\u2028",
    "é",
    "😀",
    "\ud800",
    "\0",
  ),
);
const space = fc.constantFrom("", "", " ", "\n", "\t\r\n ");

describe("the fast parser of impacted targets", () => {
  test("reads any list of names as JSON.parse does, whatever surrounds it", () => {
    const body = fc.record({
      before: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
      names: fc.array(name, { maxLength: 6 }),
      after: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
      spaces: fc.array(space, { minLength: 4, maxLength: 4 }),
    });
    let readThem = 0;
    fc.assert(
      fc.property(body, ({ before, names, after, spaces: [a = "", b = "", c = "", d = ""] }) => {
        const list = names.map((one) => `${a}${JSON.stringify(one)}${b}`).join(",");
        const field = `"impactedTargets"${c}:${d}[${list}${a}]`;
        const around = [before, after].map((fields) => JSON.stringify(fields).slice(1, -1));
        const text = `{${[around[0], field, around[1]].filter((part) => part !== "").join(",")}}`;
        const found = read(text);
        if (found) {
          readThem += 1;
          expect(found).toEqual(naive(text));
        } else expect(names.some((one) => one.includes("\0"))).toBe(true);
      }),
      { numRuns: draws(500) },
    );
    expect(readThem).toBeGreaterThan(draws(300));
  });

  test("never reads a damaged text differently from JSON.parse", () => {
    const whole = JSON.stringify({
      repo: { name: "widgets" },
      impactedTargets: ["//a", 'b"\\é', ""],
      pr: { number: 1 },
    });
    const damage = fc.record({
      at: fc.nat(whole.length),
      removed: fc.nat(12),
      inserted: fc.constantFrom(
        "",
        '"',
        "\\",
        ",",
        "[",
        "]",
        "{",
        "}",
        ":",
        " ",
        "x",
        '"impactedTargets":["z"],',
        "\n",
      ),
    });
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 3 }), (damages) => {
        const text = damages.reduce(
          (left, { at, removed, inserted }) => left.slice(0, at) + inserted + left.slice(at + removed),
          whole,
        );
        const found = read(text);
        if (found) expect(found).toEqual(naive(text));
      }),
      { numRuns: draws(3_000) },
    );
  });

  test.each<[what: string, text: string | Buffer]>([
    ["a word", '{"impactedTargets":"ALL"}'],
    ["a list with a number", '{"impactedTargets":["a",1]}'],
    ["a list in a list", '{"impactedTargets":["a",["b"]]}'],
    ["a list of something else", '{"pr":{"impactedTargets":["a"]}}'],
    ["a list that another follows", '{"impactedTargets":["a"],"impactedTargets":[]}'],
    [
      "a list that a differently written one follows",
      '{"impactedTargets":["a"],"impacted\\u0054argets":"ALL"}',
    ],
    ["what stands in a string", String.raw`{"a":"\"impactedTargets\":[\"b\"]"}`],
    ["a name with a NUL", String.raw`{"impactedTargets":["a\u0000b"]}`],
    ["a name of 4,097 bytes", `{"impactedTargets":["${"x".repeat(4_097)}"]}`],
    ["a raw line break", '{"impactedTargets":["a\nb"]}'],
    ["a comma too many", '{"impactedTargets":["a",]}'],
    ["a list that does not end", '{"impactedTargets":["a","b'],
    ["an unknown escape", String.raw`{"impactedTargets":["a\x"]}`],
    ["no UTF-8", Buffer.from([...Buffer.from('{"impactedTargets":["'), 0xff, ...Buffer.from('"]}')])],
    ["more than one value", '{"impactedTargets":["a"]} {}'],
    ["a list alone", '["impactedTargets",["a"]]'],
  ])("leaves %s to the general parser", (_what, text) => {
    expect(read(text)).toBeNull();
  });

  test("leaves a list that is not the first of its name to the general parser", () => {
    const text = '{"pr":{"impactedTargets":["a"]},"impactedTargets":["b"]}';
    expect(read(text)).toBeNull();
  });
});
