import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { freePort } from "../../src/cli/free-port.ts";
import { readVersion } from "../../src/cli/version.ts";
import { wrapText } from "../../src/cli/wrap-text.ts";
import { parseDocumented } from "./documented.ts";
import { bareEnvironment, type Finished, Trainyard } from "./run-trainyard.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

let directory: string;
let other: Server | null = null;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "trainyard-options-"));
});
afterEach(async () => {
  other?.close();
  other = null;
  await rm(directory, { recursive: true, force: true });
});

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const { NODE_COMPILE_CACHE: cache = "" } = bareEnvironment();
  return new Trainyard(args, { NODE_COMPILE_CACHE: cache, TMPDIR: directory, ...env }, directory).finished;
}

/** Expects a refusal in one line, and that nothing was started or left behind. */
async function expectRefusal(args: readonly string[], advice: RegExp, env = {}): Promise<void> {
  const { code, out, err } = await run(args, env);
  expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringMatching(advice) });
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(await readdir(directory)).toEqual([]);
}

test("the help, or the list of the laboratory, names every command that package.json has a script for", async () => {
  const { scripts } = JSON.parse(await readFile(join(import.meta.dirname, "../../package.json"), "utf8"));
  const commands = Object.entries<string>(scripts).flatMap(([script, line]) => {
    const command = /src\/main\.ts ([a-z-]+)$/.exec(line)?.[1];
    return command === undefined ? [] : [{ script, command }];
  });
  expect(commands.length).toBeGreaterThan(7);
  const listed = [...(await run(["--help"])).out.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name);
  const { out: laboratory } = await run(["lab"]);
  const missing = commands.filter(
    ({ script, command }) => !listed.includes(command) && !laboratory.includes(script),
  );
  expect(missing).toEqual([]);
});

test("trainyard lab with an unknown name says how to list the experiments", () =>
  expectRefusal(["lab", "strom"], /there is no experiment 'strom'; see --help/));

test.each([
  [["--help"], /^Usage: trainyard .*command/],
  [["-h"], /^Usage: trainyard .*command/],
  [["serve", "--help"], /^Usage: trainyard serve/],
  [["demo", "--help"], /^Usage: trainyard demo/],
  [["sandbox", "-h"], /^Usage: trainyard sandbox/],
  [["token", "create", "--help"], /trainyard token create/],
  [["migrate", "--help"], /^Usage: trainyard migrate/],
  [["backup", "--help"], /^Usage: trainyard backup/],
  [["restore", "--help"], /^Usage: trainyard restore/],
  [["copy", "--help"], /^Usage: trainyard copy/],
  [["webhook", "--help"], /^ {2}create /m],
  [["help", "pr"], /^Usage: trainyard pr/],
  [["queue", "create", "--help"], /^The service has to run\./m],
  [["simulate", "--help"], /^Presets:\n {2}github {6}a test branch/m],
  [["pr", "wait", "--help"], /^Usage: trainyard pr wait[\s\S]*^ {2}4 {2}the time is over/m],
  [["lab"], /^Usage: trainyard lab/],
  [["lab", "storm", "--help"], /^Usage: trainyard lab storm/],
  [["lab", "demo", "--help"], /^Usage: trainyard lab demo/],
])("trainyard %j prints the help", async (args, usage) => {
  const { code, out, err } = await run(args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(usage);
  // A name that is too long for a line cannot be wrapped.
  const tooLong = out.split("\n").filter((line) => line.length > 80 && line.trim().includes(" "));
  expect(tooLong).toEqual([]);
});

test.each([
  [["--version"]],
  [["serve", "--version"]],
  [["token", "create", "--version"]],
  [["demo", "--version"]],
])("trainyard %j prints the version", async (args) => {
  expect(await run(args)).toMatchObject({ code: 0, out: `${readVersion()}\n`, err: "" });
});

test("trainyard serve with an unknown option starts no server and says how to set the port", () =>
  expectRefusal(["serve", "--prot", "1"], /unknown option '--prot'.*PORT=3000/));

test.each([
  [["srve"], /unknown command 'srve' \(Did you mean serve\?\)/],
  [["help", "srve"], /unknown command 'srve' \(Did you mean serve\?\); see --help/],
  [["sandbox", "--ci-duration", "x"], /'x' is invalid\. It must be a whole number; see --help/],
  [["--frobnicate"], /unknown option '--frobnicate'.*--help/],
  [["demo", "--prot", "1"], /unknown option '--prot' \(Did you mean --port\?\)/],
  [["demo", "--port", "abc"], /--port must be a whole number from 1 to 65535/],
  [["demo", "--drop-webhooks", "lots"], /--drop-webhooks must be a number from 0 to 1/],
  [["demo", "--mode", "both"], /--mode must be single or parallel/],
  [["sandbox", "--port", "abc"], /--port.*'abc' is invalid\. It must be a whole number/],
  [["sandbox", "--port", "70000"], /--port.* It must be a whole number from 0 to 65535/],
  [["sandbox", "--prot", "1"], /unknown option '--prot' \(Did you mean --port\?\)/],
  [["migrate", "--chek"], /unknown option '--chek' \(Did you mean --check\?\)/],
  [["backup"], /missing required argument 'file'; see --help/],
  [["copy"], /^Say what to copy with --from and --to; see --help/],
  [["copy", "--from", "mysql://bob:secret@db"], /--from <database>' is invalid\. It must be a database/],
  [["token", "creat"], /unknown command 'creat' \(Did you mean create\?\)/],
  [["token", "--organisation", "acme"], /unknown option '--organisation'.*--help/],
  [["lab", "storm", "--sedes", "1"], /unknown option '--sedes' \(Did you mean --seeds\?\)/],
  [["simulate", "--grdi"], /unknown option '--grdi' \(Did you mean --grid\?\)/],
  [["soak", "--seeds", "abc"], /--seeds must be a whole number from 1 to 1000000000, not "abc"/],
  [["live"], /--repository <owner\/name>.* not specified; see --help/],
  [["lab", "trial", "--prs"], /--prs.* argument missing; see --help/],
])("trainyard %j is refused in one line that says what to do", expectRefusal);

test.each([
  [1, ["queue", "show", "--repp", "acme/widgets", "--json"], /unknown option '--repp' \(Did you mean --repo/],
  [1, ["pr", "submit", "one", "--json"], /It must be a number of a pull request/],
  [2, ["queue", "create", "widgets", "--json"], /not of the form OWNER\/NAME@BRANCH/],
  [2, ["token", "create", "--json"], /--organisation <owner>' not specified; see --help/],
  [2, ["simulate", "--json", "--grdi"], /unknown option '--grdi'/],
  [2, ["copy", "--json"], /Say what to copy/],
])(
  "a wrong call with --json ends with %d, and is an object on standard error: %j",
  async (code, args, detail) => {
    const ended = await run(args);
    expect(ended).toMatchObject({ code, out: "" });
    expect(parseDocumented("failure", ended.err)).toEqual({
      formatVersion: 1,
      code: "WRONG_USAGE",
      detail: expect.stringMatching(detail),
    });
    expect(ended.err).not.toContain("error: ");
  },
);

test("a file .env that cannot be read is named in one line", async () => {
  // Docker creates a directory for a file that is mounted and does not exist.
  await mkdir(join(directory, ".env"));
  const { code, out, err } = await run(["token", "list", "--json"]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(parseDocumented("failure", err)).toMatchObject({
    ...{ code: "EISDIR", detail: expect.stringMatching(/\.env cannot be read: /) },
  });
});

test("text is wrapped at the width of the terminal, and continues below its column", () => {
  const text = "Finds out why\na queue does not work.\n\nExit codes:\n  10  there are errors of the queue";
  expect(wrapText(text, 26).split("\n")).toEqual([
    ...[
      "Finds out why a queue does",
      "not work.",
      "",
      "Exit codes:",
      "  10  there are errors of",
      "      the queue",
    ],
  ]);
  expect(wrapText("    Fix:   Look at the last deliveries", 32)).toBe(
    "    Fix:   Look at the last\n           deliveries",
  );
});

test.each([
  ["health", 1, "NO_ANSWER", /does not answer at http:\/\/127\.0\.0\.1:9/],
  ["queue list", 1, "NO_ANSWER", /TRAINYARD_URL or --url names the service/],
  ["queue show", 1, "PLACE_UNKNOWN", /Name it with --repo/],
  ["replay --queue a/b@c --set concurrency=lots", 2, "WRONG_USAGE", /concurrency/],
  ["simulate --preset small-team --hours 1 --save none/x.jsonl", 1, "ENOENT", /none\/x\.jsonl/],
  ["simulate --workload none.jsonl", 2, "WORKLOAD_NOT_VALID", /none\.jsonl cannot be read/],
])("a failure of trainyard %s --json has a code", async (line, code, name, detail) => {
  const env = { HOST: "127.0.0.1", PORT: "9" };
  const ended = await run([...line.split(" "), "--json"], env);
  expect(ended).toMatchObject({ code, out: "" });
  expect(parseDocumented("failure", ended.err)).toMatchObject({
    ...{ code: name, detail: expect.stringMatching(detail) },
  });
});

test.each(["demo", "sandbox"])("trainyard %s without git says in one line to install it", (command) =>
  expectRefusal([command], /git was not found\. Install git 2\.38 or later/, { PATH: directory }),
);

test.each(["demo", "sandbox"])("trainyard %s --json without git names the code", (command) =>
  expectRefusal(
    [command, "--json"],
    /^\{"formatVersion":1,"code":"CANNOT_START","detail":"git was not found/,
    {
      PATH: directory,
    },
  ),
);

test.each(["demo", "sandbox"])("%s without a place for temporary files says what to set", (command) =>
  expectRefusal([command], /No directory can be created in .* \(ENOTDIR\)\. Set TMPDIR to a directory/, {
    TMPDIR: import.meta.filename,
  }),
);

test.each(["demo", "sandbox"])(
  "trainyard %s on a port that something holds without ever answering says in one line to choose another",
  async (command) => {
    const port = await freePort();
    // It accepts connections, and never reads or writes.
    const silent = createServer();
    other = silent;
    await new Promise<void>((resolve) => silent.listen(port, "127.0.0.1", resolve));
    await expectRefusal(
      [command, "--port", String(port)],
      new RegExp(`Port ${port} is in use\\. Choose another`),
    );
  },
);

test.each([
  ["without an App", { TRAINYARD_PUBLIC_URL: "https://queue.example" }],
  ["with an App", { APP_ID: "1", PRIVATE_KEY: privateKey, WEBHOOK_SECRET: "a secret of some length" }],
])("trainyard serve %s on a port in use ends with one line that says to set PORT", async (_, app) => {
  const port = await freePort();
  const silent = createServer();
  other = silent;
  await new Promise<void>((resolve) => silent.listen(port, "127.0.0.1", resolve));
  const { code, err } = await run(["serve"], { HOST: "127.0.0.1", PORT: String(port), ...app });
  expect(code).toBe(1);
  expect(
    err.match(/Port \d+ of 127\.0\.0\.1 is in use \(EADDRINUSE\)\. Set PORT to another one/g),
  ).toHaveLength(1);
  expect(err).not.toMatch(/^\s+at .*:\d+:\d+/m);
});
