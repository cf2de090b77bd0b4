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
  TOOL_SIDES: sides,
  TOOL_REAL: real,
} = process.env;
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** The sides of the change: each the commit and its name in recordings. */
const { base, head, target = base } = JSON.parse(sides);
const tool = basename(process.argv[1], ".mjs");
const args = process.argv.slice(2);

/** The exported tree of a commit: the name of its directory shows which side of the change it is. */
const [, tree, exported] =
  /^(.*\/trainyard-tree-[^/]+)\/(base|head|target)(?:\/|$)/.exec(process.cwd()) ?? [];
const { name } = { base, head, target }[exported] ?? sideOfCheckout();
const written = args.find((arg) => arg.startsWith("--file="))?.slice("--file=".length);
const key = `${change} [${name}]: ${hidePlaces(args.join(" "))}`
  .replaceAll(base.sha, base.name.toUpperCase())
  .replaceAll(head.sha, head.name.toUpperCase())
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
  return [head, base, target].find(({ sha }) => sha === at);
}

/** The same files may be another side in the next case, so that their directory has another name. */
function hidePlaces(text) {
  const withoutTree =
    tree === undefined ? text : text.replaceAll(`${tree}/${exported}`, "%FILES%").replaceAll(tree, "%TREE%");
  return withoutTree.replaceAll(root, "%ROOT%");
}

function showPlaces(text) {
  return text
    .replaceAll("%FILES%", `${tree}/${exported}`)
    .replaceAll("%TREE%", tree ?? "")
    .replaceAll("%ROOT%", root);
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
