import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { allClaims } from "../../tools/live/all-claims.ts";

const text = readFileSync(new URL("../../docs/how-to/live.md", import.meta.url), "utf8");

test("docs/how-to/live.md lists every claim in the order of the code", () => {
  const rows = allClaims.map(({ id, title, source, needs = [] }) => {
    const permissions = needs.map((need) => `\`${need}\``).join(", ");
    return `| \`${id}\` | ${title} | ${source} | ${permissions} |`;
  });
  const listed = text.split("\n").filter((line) => /^\| `[a-z-]+\/[a-z-]+` \|/.test(line));
  expect(listed).toEqual(rows);
});
