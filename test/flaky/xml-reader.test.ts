import { describe, expect, test } from "@jest/globals";
import { SaxesParser } from "saxes";
import { defaultReportLimits } from "../../src/flaky/report/fault.ts";
import { createXmlReader } from "../../src/flaky/report/xml-reader.ts";
import { createRandomSource } from "../../src/replay/workload/random-source.ts";
import { damaged } from "./damaged.ts";
import { fixture } from "./read-fixture.ts";

const reports = ["vitest", "node-test", "pytest", "surefire-reruns", "playwright", "phpunit", "nested"];

describe("the XML reader", () => {
  test.each(reports)("reads the document %s like another parser", (name) => {
    const bytes = fixture(name);
    expect(readByUs(bytes, 100_000)).toEqual(readBySaxes(bytes.toString()));
  });

  test("reads or refuses damaged documents like another parser, in pieces of any size", () => {
    const random = createRandomSource(20261122);
    const differing: string[] = [];
    let whole = 0;
    for (let at = 0; at < 2_000; at += 1) {
      const text = new TextDecoder().decode(damaged(fixture(reports[at % reports.length] ?? ""), random));
      const bytes = new TextEncoder().encode(text);
      const ours = readByUs(bytes, 1 + Math.floor(random() ** 4 * 5_000));
      if (ours) whole += 1;
      if (JSON.stringify(ours) !== JSON.stringify(readBySaxes(text))) differing.push(text);
    }
    expect(differing).toEqual([]);
    expect(whole).toBeGreaterThan(250);
  });
});

describe("a document in pieces of any size", () => {
  test("may be cut anywhere: in a character, a reference, a line ending or a CDATA section", () => {
    const inner = [
      "a\r\nb\rc &lt;&#x203A;&#10;&#13; ]] ]> \u{1F600}",
      "<![CDATA[ ]] ]]] \r\n &amp; <no> \r]]]]>",
      "<!-- a - b \r\n c -->",
      `<b c='"' d="'\t\r\n&quot;&#9;" é = "ß"\n/>`,
      "<?target x ? > ?>",
    ].join("");
    const document = `\uFEFF<?xml version='1.0' encoding="UTF-8" ?>\r\n<!-- before --><a>${inner}</a\t>\r`;
    const bytes = new TextEncoder().encode(document);
    const expected = [
      ["comment", " before "],
      ["open", "a", {}],
      ["text", `a\nb\nc <\u203A\n\r ]] ]> \u{1F600} ]] ]]] \n &amp; <no> \n]]`],
      ["comment", " a - b \n c "],
      ["open", "b", { c: '"', d: `'  "\t`, é: "ß" }],
      ["close", "b"],
      ["close", "a"],
    ];
    for (let size = 1; size <= bytes.length; size += 1) expect(readByUs(bytes, size)).toEqual(expected);
  });

  test("is read completely, however short the pieces of a long tag or comment are", () => {
    const long = "x>".repeat(200_000);
    const bytes = new TextEncoder().encode(`<a><b c="${long}"/><!--${long}--></a>`);
    const found = readByUs(bytes, 7)?.map(([, content, attributes]) => [content, attributes]);
    expect(found).toEqual([
      ["a", {}],
      ["b", { c: long }],
      ["b", undefined],
      [long, undefined],
      ["a", undefined],
    ]);
  });
});

test.each([
  ["text", "<a>", "</a>"],
  ["CDATA", "<a><![CDATA[", "]]></a>"],
])("%s of any length is passed on while it arrives", (_what, beginning, ending) => {
  const lengths: number[] = [];
  const reader = createXmlReader(
    { ...silent, text: (text) => lengths.push(text.length) },
    defaultReportLimits,
  );
  const length = 2 * defaultReportLimits.token;
  const encoder = new TextEncoder();
  expect(reader.write(encoder.encode(`${beginning}${"o".repeat(length)}`))).toBe(true);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(64 * 1024);
  reader.write(encoder.encode(ending));
  expect(reader.end()).toBeNull();
  expect(lengths.reduce((sum, one) => sum + one)).toBe(length);
});

test("space around the root may have any length", () => {
  const reader = createXmlReader(silent, defaultReportLimits);
  const space = " ".repeat(2 * defaultReportLimits.token);
  reader.write(new TextEncoder().encode(`${space}<a/>${space}`));
  expect(reader.end()).toBeNull();
});

describe("a document that is not well-formed", () => {
  test.each([
    [3, "<a>\n\n<b c='<'/></a>"],
    [2, "<a>\n<b c='1'd='2'/></a>"],
    [2, "<a>\n<b c='1' c='1'/></a>"],
    [2, "<a>\n<b c=1/></a>"],
    [2, "<a>\n<b c/></a>"],
    [2, "<a>\n<1/></a>"],
    [2, "<a>\n<b 1='1'/></a>"],
    [2, "<a>\n< b/></a>"],
    [2, "<a>\n</></a>"],
    [2, "<a>\n<!-- -- --></a>"],
    [2, "<a>\n<!ELEMENT a></a>"],
    [2, "<a>\n<?xml version='1.0'?></a>"],
    [1, "<?xml version='2'?><a/>"],
    [1, " <?xml version='1.0'?><a/>"],
    [2, "<a>\n&#0;</a>"],
    [2, "<a>\n&#xD800;</a>"],
    [2, "<a>\n&;</a>"],
    [2, "<a>\n]]></a>"],
    [2, "<a/>\n<a/>"],
    [2, "<a/>\n</a>"],
    [1, "<![CDATA[]]><a/>"],
  ])("is refused with its line number: %d, %j", (line, document) => {
    const reader = createXmlReader(silent, defaultReportLimits);
    reader.write(new TextEncoder().encode(document));
    const fault = reader.end();
    expect(fault).toEqual({ code: "MALFORMED", message: expect.stringMatching(`at line ${line}: .+`) });
  });
});

type Told = readonly ["open" | "close" | "text" | "comment", string, object?];

const silent = { open() {}, close() {}, text() {}, comment() {} };

/** The events of the document; null = refused. */
function readByUs(bytes: Uint8Array, size: number): readonly Told[] | null {
  const told: Told[] = [];
  const reader = createXmlReader(recorder(told), defaultReportLimits);
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
  return reader.end() === null ? told : null;
}

function readBySaxes(document: string): readonly Told[] | null {
  const told: Told[] = [];
  const { open, close, text, comment } = recorder(told);
  // Saxes gets characters, so it ignores the encoding.
  if (/^<\?xml[^>]*encoding="(?!utf-8")/i.test(document)) return null;
  const parser = new SaxesParser();
  let isRefused = false;
  parser.on("error", ({ message }) => {
    // Saxes reports "<" in an attribute like raw control characters, which our reader accepts.
    const isControl = message.endsWith("disallowed character.") && document[parser.position - 1] !== "<";
    isRefused ||= !isControl;
  });
  parser.on("opentag", ({ name, attributes }) => open(name, attributes));
  parser.on("closetag", ({ name }) => close(name));
  parser.on("text", text);
  parser.on("cdata", text);
  parser.on("comment", comment);
  parser.write(document).close();
  return isRefused ? null : told;
}

/** Records events. Joins adjacent texts, and ignores texts outside the root. */
function recorder(told: Told[]) {
  let depth = 0;
  return {
    open(name: string, attributes: object) {
      depth += 1;
      told.push(["open", name, { ...attributes }]);
    },
    close(name: string) {
      depth -= 1;
      told.push(["close", name]);
    },
    text(text: string) {
      const last = told.at(-1);
      if (depth === 0 || text === "") return;
      if (last?.[0] === "text") told[told.length - 1] = ["text", last[1] + text];
      else told.push(["text", text]);
    },
    comment(text: string) {
      told.push(["comment", text]);
    },
  };
}
