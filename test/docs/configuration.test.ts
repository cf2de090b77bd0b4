import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { renderConfiguration } from "../../scripts/render-configuration.ts";
import { parseRepositoryFile } from "../../src/command/parse-repository-file.ts";
import { repositoryFileSchema } from "../../src/command/repository-file.ts";
import { environment } from "../../src/settings/settings.ts";

const example = readFileSync(join(import.meta.dirname, "../../docs/trainyard.example.yml"), "utf8");

test("the annotated example of .github/trainyard.yml is valid, and has every key", () => {
  expect(parseRepositoryFile(example)).toMatchObject({ ok: true });
  const missing = Object.keys(repositoryFileSchema.shape).filter((key) => !example.includes(`\n${key}:`));
  expect(missing).toEqual([]);
});

test("the reference of the configuration has each variable with its type and default, and the example", () => {
  const reference = renderConfiguration();
  const missing = Object.keys(environment.shape).filter((name) => !reference.includes(`\n| \`${name}\` |`));
  expect(missing).toEqual([]);
  expect(reference).toContain("| `PORT` | 0 to 65535 | `3000` |");
  expect(reference).toContain("| `LOG_LEVEL` | `debug`, `info`, `warn`, `error`, `silent` | `info` |");
  expect(reference).toContain(example);
});
