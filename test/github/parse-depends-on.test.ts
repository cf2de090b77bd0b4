import { expect, test } from "@jest/globals";
import { parseDependsOn } from "../../src/github/pull-requests/parse-depends-on.ts";

const url = "https://github.com/acme/widgets/pull/7";

test.each([
  ["Depends-On: #12", [12]],
  ["Text.\r\n\r\ndepends-on:#12\r\nDEPENDS-ON: #3  \r\n", [3, 12]],
  ["- Depends-On: #1\n* Depends-On: #2", [1, 2]],
  ["Depends-On: https://github.com/Acme/Widgets/pull/12", [12]],
  ["Depends-On: https://github.com/acme/widgets/pull/12/files", []],
  ["Depends-On: https://github.com/acme/gadgets/pull/12", []],
  ["Depends-On: #12\nDepends-On: #12", [12]],
  ["It says Depends-On: #12", []],
  ["Depends-On: #12, #13", []],
  ["Depends-On: 12", []],
  ["Depends-On: #0", []],
  ["<!-- Depends-On: #12 -->", []],
  ["<!--\nDepends-On: #12\n-->\nDepends-On: #13", [13]],
  ["```\nDepends-On: #12\n```\nDepends-On: #13", [13]],
  ["~~~\nDepends-On: #12", []],
  ["", []],
])("the description %j names the dependencies %j", (description, numbers) => {
  expect(parseDependsOn(description, url)).toEqual(numbers);
});

test("a description names at most twenty dependencies, and a hostile one is parsed fast", () => {
  const many = Array.from({ length: 30 }, (_, index) => `Depends-On: #${index + 1}`);
  expect(parseDependsOn(many.join("\n"), url).length).toBe(20);
  const started = performance.now();
  for (const piece of ["<!--", "```\n", "\n\t ", "Depends-On: ", " ", "- "])
    parseDependsOn(piece.repeat(60_000 / piece.length), url);
  expect(performance.now() - started).toBeLessThan(1_000);
});
