/**
 * Replaces a build tool in the tests of providers, under the tool's own name. It prints the recorded output
 * of the real tool. With TRAINYARD_REAL_TOOLS, it runs the real tool and records its output.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

const {
  TOOL_RECORDING: file,
  TOOL_ROOT: root,
  TOOL_CHANGE: change,
  TOOL_SHAS: shas,
  TOOL_REAL: real,
} = process.env;
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const [base, head] = shas.split(" ");
const tool = basename(process.argv[1], ".mjs");
const args = process.argv.slice(2);

/** The exported tree of a commit: the name of its directory shows which side of the change it is. */
const [, tree, exported] = /^(.*\/trainyard-tree-[^/]+)\/(base|head)(?:\/|$)/.exec(process.cwd()) ?? [];
const side = exported ?? sideOfCheckout();
const written = args.find((arg) => arg.startsWith("--file="))?.slice("--file=".length);
const key = `${change} [${side}]: ${hidePlaces(args.join(" "))}`
  .replaceAll(base, "BASE")
  .replaceAll(head, "HEAD")
  .replace(/--output_base=\S+/, "--output_base=OUTPUT");
const recording = existsSync(file) ? load() : { runs: {} };

if (real) record(runReal());
const run = recording.runs[key];
if (!run) {
  console.error(`there is no recording of ${tool} ${key}`);
  process.exit(96);
}
if (run.file !== undefined) writeFileSync(written, showPlaces(run.file));
process.stdout.write(run.base64 ? Buffer.from(run.base64, "base64") : showPlaces(run.stdout));
process.stderr.write(showPlaces(run.stderr));
process.exitCode = run.code;

function sideOfCheckout() {
  const at = execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  return at === base ? "base" : "head";
}

function hidePlaces(text) {
  const withoutTree = tree === undefined ? text : text.replaceAll(tree, "%TREE%");
  return withoutTree.replaceAll(root, "%ROOT%");
}

function showPlaces(text) {
  return text.replaceAll("%TREE%", tree ?? "").replaceAll("%ROOT%", root);
}

function runReal() {
  const modules = join(process.cwd(), "node_modules");
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
  const isText = Buffer.from(stdout.toString()).equals(stdout);
  recording.runs[key] = {
    ...(isText ? { stdout: hidePlaces(stdout.toString()) } : { base64: stdout.toString("base64") }),
    ...(written && existsSync(written) ? { file: hidePlaces(readFileSync(written, "utf8")) } : {}),
    // Only the error output of a failure matters; progress output differs in each run.
    stderr: status === 0 ? "" : hidePlaces(stderr.toString()),
    code: status,
  };
  const text = `${JSON.stringify(recording, null, 2)}\n`;
  writeFileSync(file, file.endsWith(".br") ? brotliCompressSync(text, quickly) : text);
}

function load() {
  const bytes = readFileSync(file);
  return JSON.parse(file.endsWith(".br") ? brotliDecompressSync(bytes).toString() : bytes.toString());
}
