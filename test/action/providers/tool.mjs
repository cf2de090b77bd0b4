/**
 * A build tool for the tests of providers, under the name by which it was called. It answers what a recording says the real one
 * answered; with TRAINYARD_REAL_TOOLS it runs the real one, and writes that down.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const {
  TOOL_RECORDING: file,
  TOOL_ROOT: root,
  TOOL_CHANGE: change,
  TOOL_SHAS: shas,
  TOOL_REAL: real,
} = process.env;
const [base, head] = shas.split(" ");
const tool = basename(process.argv[1], ".mjs");
const args = process.argv.slice(2);

const at = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
const key = `${at === base ? "base" : change}: ${args.join(" ")}`
  .replaceAll(base, "BASE")
  .replaceAll(head, "HEAD")
  .replaceAll(root, "ROOT")
  .replace(/--output_base=\S+/, "--output_base=OUTPUT");
const recording = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { runs: {} };

if (real) record(runReal());
const run = recording.runs[key];
if (!run) {
  console.error(`there is no recording of ${tool} ${key}`);
  process.exit(96);
}
process.stdout.write(run.base64 ? Buffer.from(run.base64, "base64") : run.stdout.replaceAll("ROOT", root));
process.stderr.write(run.stderr.replaceAll("ROOT", root));
process.exitCode = run.code;

function runReal() {
  const modules = join(root, "node_modules");
  const own = join(real, "node_modules/.bin", tool);
  if (!existsSync(own)) return spawnSync(tool, args, { env: withoutMe() });
  symlinkSync(join(real, "node_modules"), modules);
  try {
    return spawnSync(own, args);
  } finally {
    rmSync(modules);
  }
}

function withoutMe() {
  const [, ...path] = process.env.PATH.split(":");
  return { ...process.env, PATH: path.join(":") };
}

function record({ status, stdout, stderr, error }) {
  if (error) throw error;
  const isText = Buffer.from(stdout.toString()).equals(stdout) && !stdout.includes(0);
  recording.runs[key] = {
    ...(isText
      ? { stdout: stdout.toString().replaceAll(root, "ROOT") }
      : { base64: stdout.toString("base64") }),
    // What it fails with matters; what it says about its progress is another each time.
    stderr: status === 0 ? "" : stderr.toString().replaceAll(root, "ROOT"),
    code: status,
  };
  writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
}
