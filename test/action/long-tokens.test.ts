import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createActionsRunner } from "../../src/action/actions-runner.ts";

const part = (bytes: number) => randomBytes(bytes).toString("base64url");
const [header, payload, signature] = [`eyJ${part(24)}`, `eyJ${part(84)}`, part(256)];
const token = `ghs_1234567_${header}.${payload}.${signature}`;

let directory: string;
let written: string[];
const write = process.stdout.write;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-mask-"));
  written = [];
  process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write;
});
afterEach(async () => {
  process.stdout.write = write;
  await rm(directory, { recursive: true });
});

test("a token of about 520 characters is masked as a whole and in its parts", async () => {
  expect(token.length).toBeGreaterThan(480);
  const summary = join(directory, "summary");
  const runner = createActionsRunner(summary, false);
  runner.mask(token);
  const masked = written.splice(0).map((line) => line.replace("::add-mask::", "").trim());
  expect(masked).toEqual([token, `ghs_1234567_${header}`, payload, signature]);

  runner.log(`whole ${token}, without its head ${payload}.${signature}, masked before ***.${signature}`);
  runner.annotate("error", `title ${signature}`, `head ${token.slice(0, 60)}, tail .${signature}`);
  await runner.summarise(`| ${token} | ${signature} |`);
  const shown = written.join("") + (await readFile(summary, "utf8"));
  expect(shown).toContain("whole ***, without its head ***.***, masked before ***.***");
  expect(shown).toContain("| *** | *** |");
  for (const secret of [payload, signature]) expect(shown).not.toContain(secret.slice(-20));
});

test("short parts of a secret are not masked", () => {
  const runner = createActionsRunner(undefined, false);
  runner.mask("v1.main.a-secret-that-is-long");
  written.length = 0;
  runner.log("main v1");
  expect(written.join("")).toContain("main v1");
});
