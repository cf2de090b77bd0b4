import fc from "../../drawn.ts";

/** Values that are invalid for nearly every field, or at the limit of what is valid. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[0, 1, -1, 1.5, 4_294_967_295, 4_294_967_296, Number.MAX_SAFE_INTEGER, 1e300, -0],
    ...[
      "",
      " ",
      "0",
      "1",
      "ALL",
      "IMPACTS_ALL",
      "\0",
      "\ud800",
      "🦄",
      "../..",
      "a".repeat(300),
      "main",
      "refs/heads/main",
    ],
    ...[
      "__proto__",
      "constructor",
      "null",
      "true",
      "<script>",
      "'; drop table queues; --",
      "%00",
      "1e5",
      "0x1f",
    ],
    ...[
      "2026-01-31T12:00:00Z",
      "2026-02-30T12:00:00Z",
      "+275760-09-13T00:00:00Z",
      "WzEsMV0",
      "W10",
      "bnVsbA",
    ],
    ...[true, false, null, [], {}, [null], [[]], { number: 1 }, [{ number: 1 }], { length: 3 }],
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.integer(), { maxLength: 60 }),
);

/** Bodies that are not an object of the right kind, not JSON, or not text. */
export const oddBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      ...[
        "",
        "{",
        "}",
        "[]",
        "null",
        "1",
        '"text"',
        "{}",
        "{}{}",
        "\ufeff{}",
        "NaN",
        "{'a':1}",
        '{"a":1,}',
        "\0",
        " ".repeat(99),
      ],
      ...[
        '{"a":1e400}',
        '{"__proto__":{"repo":1}}',
        '{"repo":{"__proto__":null}}',
        '{"a":"\\ud800"}',
        '{"a":"\\x"}',
      ],
      ...["[".repeat(50_000), `${"[".repeat(2_000)}${"]".repeat(2_000)}`, '{"a":'.repeat(5_000)],
    )
    .map((text) => Buffer.from(text)),
  fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);
