import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { Trainyard } from "./run-trainyard.ts";

const run = promisify(execFile);
let bash: string;

const script = async (shell: string) =>
  (await new Trainyard(["completion", shell], {}, tmpdir()).finished).out;

beforeAll(async () => {
  bash = await script("bash");
});

/** What bash offers for the last word of a line. */
async function complete(...line: string[]): Promise<string[]> {
  const ask = `COMP_WORDS=(trainyard "$@"); COMP_CWORD=$#; _trainyard; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run("bash", ["-c", `${bash}\n${ask}`, "bash", ...line]);
  return stdout.trim().split("\n");
}

test.each([
  [["qu"], ["queue"]],
  [["so"], [""]],
  [["queue", "dr"], ["drain"]],
  [["pr", "wait", "12", "--no"], ["--no-block"]],
  [
    ["queue", "create", "acme/widgets@main", "--mode", ""],
    ["single", "parallel"],
  ],
  [["webhook", "create", "--format", "s"], ["slack"]],
  [["completion", "f"], ["fish"]],
  [["--h"], ["--help"]],
])("bash completes trainyard %j", async (line, offered) => {
  expect(await complete(...line)).toEqual(offered);
});

test.each(["zsh", "fish"])("%s reads its completions, where it is installed", async (shell) => {
  const text = await script(shell);
  expect(text).toContain("quarantine");
  const isInstalled = await run(shell, ["-c", "true"]).then(
    () => true,
    () => false,
  );
  if (!isInstalled) return;
  const prepare = shell === "zsh" ? "autoload -U compinit; compinit -D\n" : "";
  expect((await run(shell, ["-c", `${prepare}${text}`])).stderr).toBe("");
});
