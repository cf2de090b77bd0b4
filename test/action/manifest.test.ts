import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAction } from "@actions/workflow-parser/actions/action-parser";
import { NoOperationTraceWriter } from "@actions/workflow-parser/templates/trace-writer";
import { describe, expect, test } from "@jest/globals";

const file = join(import.meta.dirname, "../../action.yml");
const script = join(import.meta.dirname, "../../scripts/document-action.ts");

/** Returns the errors that GitHub's own parser finds. */
function faults(content: string): string[] {
  const { context } = parseAction({ name: "action.yml", content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

describe("action.yml", () => {
  const content = readFileSync(file, "utf8");

  test("is valid by GitHub's schema for Actions", () => {
    expect(faults(content)).toEqual([]);
  });

  test("would be rejected by GitHub's schema if it had an error", () => {
    expect(faults(content.replace("main:", "mian:"))).not.toEqual([]);
    expect(faults(content.replace("using: node24", "using: node3"))).not.toEqual([]);
    expect(faults(content.replace("    required: true", "    required: [1]"))).not.toEqual([]);
  });

  test("matches the tables of docs/reference/action.md", async () => {
    await expect(promisify(execFile)(process.execPath, [script, "--check"])).resolves.toBeDefined();
  });
});
