import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { environment } from "../../src/settings/settings.ts";
import { expectedTables } from "../../src/store/schema/expected-tables.ts";

const reference = readFileSync(new URL("../../docs/reference/retention.md", import.meta.url), "utf8");

test("the reference of retention has exactly the tables of the schema, each with its limit", async () => {
  const rows = [...reference.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm)];
  const tables = (await expectedTables()).map(({ name }) => name);
  expect(rows.map(([, name]) => name).sort()).toEqual([...tables].sort());
});

test("the reference of retention names the variables of the environment with their defaults", () => {
  const defaults = environment.parse({});
  for (const [, name = "", days] of reference.matchAll(/`(TRAINYARD_\w+_DAYS)` \((\d+)\)/g))
    expect({ [name]: defaults[name as keyof typeof defaults] }).toEqual({ [name]: Number(days) });
});
