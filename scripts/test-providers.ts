/**
 * Tests the providers of `impacted-targets` with the real build tools, and records the tools' answers for `npm test`.
 *
 *     npm run test:providers                       all of them
 *     npm run test:providers -- -t nx              some; the options are Jest's
 *     npm run test:providers -- --cases 2000       compares each with the truth in 2000 random cases, and records nothing;
 *                                                  FAST_CHECK_SEED chooses others; with `--cases 16`, FAST_CHECK_PATH (the `path`
 *                                                  that a failure prints) repeats one workspace
 *
 * The tools of Node.js are installed once from the registry, into node_modules/.cache; `cargo`, `go` and `bazel` have to be in the
 * PATH (on Debian: `apt-get install cargo golang-go bazel-bootstrap`).
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const cache = process.env.TRAINYARD_TOOLS_CACHE ?? join(root, "node_modules/.cache/trainyard-build-tools");
const recordings = join(root, "test/action/providers/recorded");

/** Exact versions, so that a recording shows what it was recorded with. */
const packages = { nx: "24.0.6", turbo: "2.11.11", pnpm: "12.21.0", "@yarnpkg/cli-dist": "4.18.1" };

function installTools(): void {
  const manifest = `${JSON.stringify({ private: true, dependencies: packages }, null, 2)}\n`;
  const file = join(cache, "package.json");
  if (existsSync(file) && readFileSync(file, "utf8") === manifest) return;
  mkdirSync(cache, { recursive: true });
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--prefix", cache, ...specifiers()], {
    stdio: "inherit",
  });
  writeFileSync(file, manifest);
}

function specifiers(): string[] {
  return Object.entries(packages).map(([name, version]) => `${name}@${version}`);
}

/** Adds the version of the tool to its recording. */
function sign(tool: string, version: string): void {
  const file = join(recordings, `${tool}.json`);
  const { runs } = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, `${JSON.stringify({ tool, version, runs }, null, 2)}\n`);
}

function versionOf(command: string, ...args: string[]): string {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** Bazel does not report its version in Debian's package. */
function bazelVersion(): string {
  const version = versionOf("bazel", "--version");
  if (!version.includes("no_version")) return version;
  return versionOf("dpkg-query", "--show", "bazel-bootstrap").replace("\t", " ");
}

/** Removes `--cases N` from the options and returns N. */
function takeCases(options: string[]): string | null {
  const at = options.indexOf("--cases");
  return at === -1 ? null : (options.splice(at, 2)[1] ?? null);
}

installTools();
const options = process.argv.slice(2);
const cases = takeCases(options);
const isRecording = options.length === 0 && cases === null;
if (isRecording) rmSync(recordings, { recursive: true, force: true });
mkdirSync(recordings, { recursive: true });
const jest = ["--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
// Tests that read the recordings cannot run while they are made, and two files would overwrite what the other records.
const all = ["test/action/providers", "--testPathIgnorePatterns=build-proto", "--maxWorkers=1"];
const tests = cases === null ? all : ["test/action/providers/drawn"];
const { status } = spawnSync(process.execPath, [...jest, ...tests, ...options], {
  cwd: root,
  stdio: "inherit",
  env: {
    ...process.env,
    TRAINYARD_REAL_TOOLS: cache,
    ...(cases === null ? {} : { TRAINYARD_PROVIDER_CASES: cases }),
  },
});
if (status === 0 && isRecording) {
  sign("nx", packages.nx);
  sign("turbo", packages.turbo);
  sign("cargo", versionOf("cargo", "--version"));
  sign("go", versionOf("go", "version"));
  sign("bazel", bazelVersion());
  const { pnpm, "@yarnpkg/cli-dist": yarn } = packages;
  const file = join(recordings, "workspaces.json");
  const graphs = JSON.parse(readFileSync(file, "utf8"));
  const versions = { npm: versionOf("npm", "--version"), yarn, pnpm };
  writeFileSync(file, `${JSON.stringify({ versions, ...graphs }, null, 2)}\n`);
}
process.exitCode = status ?? 1;
