import { isSha, ZERO_SHA } from "../git/git-object.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { runGit } from "../git/run-git.ts";
import type { Repository } from "../world/repository.ts";
import type { Writer } from "../world/rules/branch-rules.ts";
import type { World } from "../world/world.ts";
import { pushReport, type RefWriteResult, writeRef } from "../world/write-ref.ts";

/**
 * The server side of `git push`. `git receive-pack` would move the refs itself. Here each ref goes through `writeRef`, like every
 * other change.
 * https://git-scm.com/docs/pack-protocol#_pushing_data_to_a_server
 */

const CAPABILITIES =
  "report-status delete-refs side-band-64k quiet ofs-delta object-format=sha1 agent=trainyard-sandbox";

/** A push with at least this many objects is kept as one pack, as with git's `receive.unpackLimit`. */
const UNPACK_LIMIT = 100;

interface Command {
  before: string | null;
  after: string | null;
  ref: string;
}

interface Report {
  ref: string;
  /** Null = the ref was updated. */
  failure: string | null;
  /** Messages for people. */
  messages: string[];
}

/** The refs that a client receives before it pushes. Pull request refs are hidden, because clients cannot push to them. */
export function advertiseRefs(git: GitRepository): Buffer {
  const refs = git.refs.list("refs/").filter(([ref]) => !ref.startsWith("refs/pull/"));
  const lines = refs.length === 0 ? [["capabilities^{}", ZERO_SHA] as const] : refs;
  return Buffer.concat([
    pktLine("# service=git-receive-pack\n"),
    FLUSH,
    ...lines.map(([ref, sha], index) => pktLine(`${sha} ${ref}${index === 0 ? `\0${CAPABILITIES}` : ""}\n`)),
    FLUSH,
  ]);
}

/**
 * Executes a push and returns git's report. Each command succeeds or fails alone, as with `git receive-pack`.
 *
 * @param page the repository's URL for people
 */
export async function receivePack(
  world: World,
  repository: Repository,
  writer: Writer,
  page: string,
  request: Buffer,
): Promise<Buffer> {
  const { lines, rest: pack } = readPktLines(request);
  // A single flush probes the connection before a large push.
  if (lines.length === 0) return Buffer.alloc(0);
  const capabilities = (lines[0]?.split("\0")[1] ?? "").trim().split(" ");
  const commands = lines.map(parseCommand);
  const unpackFailure = pack.length === 0 ? null : await takeIn(repository.git, pack);
  const reports: Report[] = [];
  for (const command of commands) {
    reports.push(
      unpackFailure === null
        ? await carryOut(world, repository, writer, page, command)
        : { ref: command.ref, failure: "unpacker error", messages: [] },
    );
  }
  return encodeReport(reports, unpackFailure, capabilities.includes("side-band-64k"));
}

function parseCommand(line: string): Command {
  const [before = "", after = "", ref = ""] = (line.split("\0")[0] ?? "").trimEnd().split(" ");
  return { before: before === ZERO_SHA ? null : before, after: after === ZERO_SHA ? null : after, ref };
}

/** Stores the pack's objects. Returns the problem of the pack, or null. */
async function takeIn(git: GitRepository, pack: Buffer): Promise<string | null> {
  const objects = pack.length >= 12 ? pack.readUInt32BE(8) : 0;
  const command = objects < UNPACK_LIMIT ? ["unpack-objects", "-q"] : ["index-pack", "--stdin", "--fix-thin"];
  const { exitCode, stderr } = await runGit(git.directory, command, pack);
  return exitCode === 0 ? null : stderr.trim().split("\n")[0] || "unpack failed";
}

async function carryOut(
  world: World,
  repository: Repository,
  writer: Writer,
  page: string,
  command: Command,
): Promise<Report> {
  const { ref, before, after } = command;
  const fail = (failure: string, messages: string[] = []): Report => ({ ref, failure, messages });
  if (!/^refs\/(heads|tags)\/./.test(ref)) return fail("deny updating a hidden ref");
  if (after !== null) {
    if (!isSha(after) || (await repository.git.readObject(after)) === null)
      return fail("missing necessary objects");
    if (ref.startsWith("refs/heads/") && (await repository.git.commit(after)) === null) {
      return fail("funny refname");
    }
  }
  const result: RefWriteResult = await writeRef(world, repository, { ref, before, after, writer });
  switch (result.outcome) {
    case "written":
      return { ref, failure: null, messages: [] };
    case "stale":
      return fail("failed to update ref");
    case "obstructed":
      return fail(`cannot lock ref '${ref}': '${result.by}' exists`);
    case "refused": {
      const { failure, messages } = pushReport(result.refusal, ref, page);
      return fail(failure, messages);
    }
  }
}

function encodeReport(reports: readonly Report[], unpackFailure: string | null, banded: boolean): Buffer {
  const status = Buffer.concat([
    pktLine(`unpack ${unpackFailure ?? "ok"}\n`),
    ...reports.map(({ ref, failure }) =>
      pktLine(failure === null ? `ok ${ref}\n` : `ng ${ref} ${failure}\n`),
    ),
    FLUSH,
  ]);
  if (!banded) return status;
  const text = reports
    .flatMap(({ messages }) => messages)
    .map((message) => `${message}\n`)
    .join("");
  return Buffer.concat([sideBand(2, text), sideBand(1, status), FLUSH]);
}

/**
 * Git's framing: four hexadecimal digits for the length, then the content.
 * https://git-scm.com/docs/protocol-common#_pkt_line_format
 */

export const FLUSH = Buffer.from("0000");

/** Maximum number of content bytes in one side-band line. */
const MAX_BAND_CONTENT = 65_515;

export function pktLine(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}

/** Wraps content in side-band lines. Git reads band 1, and shows band 2 to people as `remote: …`. */
function sideBand(band: 1 | 2, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += MAX_BAND_CONTENT) {
    lines.push(pktLine(Buffer.concat([Buffer.from([band]), bytes.subarray(at, at + MAX_BAND_CONTENT)])));
  }
  return Buffer.concat(lines);
}

/** Reads lines up to the first flush. `rest` contains the bytes after it. */
function readPktLines(bytes: Buffer): { lines: string[]; rest: Buffer } {
  const lines: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.toString("latin1", at, at + 4), 16);
    if (length === 0) return { lines, rest: bytes.subarray(at + 4) };
    if (Number.isNaN(length) || length < 4) break;
    lines.push(bytes.toString("utf8", at + 4, at + length));
    at += length;
  }
  return { lines, rest: Buffer.alloc(0) };
}
