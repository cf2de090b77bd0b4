import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createZstdDecompress } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import * as z from "zod";
import { structureFault } from "../../api/bodies/parse-json.ts";
import { type Problem, ProblemError } from "../../api/problems/problem.ts";
import { repository } from "../../api/schema/addresses.ts";
import type { RepositoryRef } from "../../engine/model/queue.ts";
import { longestVariant } from "../identity.ts";
import { type BundleMeta, usedVariables } from "../service/uploads/bundle-facts.ts";
import type { SentBundle } from "../service/uploads/bundles.ts";

const pieceBytes = 64 * 1024;
const mebibyte = 1024 * 1024;
/** Maximum sizes in bytes: of the bundle as it is sent, of all its decompressed contents, and of `meta.json`. */
const limits = { sent: 20 * mebibyte, inflated: 300 * mebibyte, meta: 3 * mebibyte };

/** A bundle whose first file was read. Only reading its reports shows whether it is complete. */
export type OpenedBundle = SentBundle & { readonly repo: RepositoryRef };

/**
 * Opens a bundle of Trunk's uploader: tar in zstd, `meta.json` first. Only `meta.json` is ever held as a whole.
 *
 * @throws ProblemError 400 when it is not such a bundle, or is damaged, 413 when it is too large. Reading the reports can throw
 *   both, too.
 */
export async function openBundle(payload: AsyncIterable<Buffer>): Promise<OpenedBundle> {
  const entries = entriesOf(payload);
  const first = await entries.next();
  if (first.done || first.value.header.name !== "meta.json")
    throw unreadable("its first file is not meta.json");
  if (first.value.header.size > limits.meta) throw tooLargeMeta();
  const { repo, meta, reports } = readBundleMeta(await bytesOf(first.value));
  return { repo, meta, expectedReports: reports.size, reports: sentReports(entries, reports) };
}

async function* sentReports(entries: AsyncGenerator<ParsedTarEntry>, names: ReadonlyMap<string, string>) {
  for await (const { header, body } of entries) {
    const path = names.get(header.name);
    if (path === undefined) await body.cancel();
    else yield { path, pieces: body as AsyncIterable<Uint8Array> };
  }
}

async function* entriesOf(payload: AsyncIterable<Buffer>): AsyncGenerator<ParsedTarEntry> {
  const decoder = createZstdDecompress({ chunkSize: pieceBytes });
  const sent = Readable.from(upTo(limits.sent, payload), { objectMode: false });
  sent.once("error", (error) => decoder.destroy(error));
  const tar = Readable.from(upTo(limits.inflated, sent.pipe(decoder)), { objectMode: false });
  const stream = Readable.toWeb(tar) as ReadableStream<Uint8Array<ArrayBuffer>>;
  try {
    for await (const entry of stream.pipeThrough(createTarDecoder({ strict: true }))) yield entry;
  } catch (error) {
    throw error instanceof ProblemError ? error : unreadable("it is damaged, or was cut off");
  } finally {
    decoder.destroy();
    sent.destroy();
  }
}

async function* upTo(limit: number, pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > limit)
      throw new ProblemError({
        code: "BODY_TOO_LARGE",
        detail: `The bundle is too large: more than ${limit / mebibyte} MiB. Split the tests over several jobs.`,
      });
    yield piece;
  }
}

async function bytesOf({ body }: ParsedTarEntry): Promise<Uint8Array> {
  try {
    return new Uint8Array(await new Response(body).arrayBuffer());
  } catch (error) {
    throw error instanceof ProblemError ? error : unreadable("its meta.json is damaged");
  }
}

/**
 * Maximum cost, as `structureFault` counts it. It suffices for 3,900 reports in one set, or 2,200 reports in one set each.
 * The worst file within it takes up to 30 ms to parse, and bundles are read in the event loop.
 */
const largestStructure = 2.5 * 1024 * 1024;

const variables = z.object(
  Object.fromEntries(usedVariables.map((name) => [name, z.string().optional().catch(undefined)])),
);

const metaFile = z.object({
  repo: z.object({
    repo: repository,
    repo_head_sha: z.string().regex(/^[0-9a-fA-F]{7,64}$/),
    repo_head_branch: z.string().max(500),
  }),
  bundle_upload_id: z.string().max(200).catch(""),
  variant: z.string().max(longestVariant).nullish(),
  envs: variables.catch({}),
  // Checked by hand: zod creates an issue for each wrong item, which takes seconds for a hundred thousand items.
  file_sets: z.custom<readonly FileSet[]>((value) => Array.isArray(value) && value.every(isFileSet)),
});

interface FileSet {
  readonly file_set_type?: unknown;
  readonly files: readonly BundledFile[];
}

interface BundledFile {
  readonly path: string;
  readonly original_path: string;
  readonly original_path_rel?: string | null;
}

/** The contents of a bundle's `meta.json`. */
export interface ReadMeta {
  readonly repo: RepositoryRef;
  readonly meta: BundleMeta;
  /** The original name of each JUnit file, keyed by its name in the bundle. */
  readonly reports: ReadonlyMap<string, string>;
}

/** @throws ProblemError 400 */
export function readBundleMeta(json: Uint8Array): ReadMeta {
  const fault = structureFault(json, largestStructure);
  if (fault === "TOO_MANY_VALUES") throw tooLargeMeta();
  if (fault === "TOO_DEEP") throw unreadable("its meta.json nests too deep");
  const parsed = metaFile.safeParse(parseJson(json));
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join(".") || "an object";
    throw unreadable(`its meta.json lacks ${path}, or has it in another form`);
  }
  const { repo, envs, variant, bundle_upload_id: bundleId, file_sets: fileSets } = parsed.data;
  return {
    repo: repo.repo,
    meta: {
      headSha: repo.repo_head_sha,
      headBranch: repo.repo_head_branch,
      bundleId,
      variant: variant ?? "",
      envs,
    },
    reports: reportsOf(fileSets),
  };
}

function reportsOf(fileSets: readonly FileSet[]): ReadonlyMap<string, string> {
  const reports = new Map<string, string>();
  for (const { file_set_type: type, files } of fileSets) {
    if (typeof type === "string" && type.toLowerCase() !== "junit") continue;
    for (const file of files) reports.set(file.path, file.original_path_rel || file.original_path);
  }
  return reports;
}

function isFileSet(value: unknown): value is FileSet {
  return isObject(value) && Array.isArray(value.files) && value.files.every(isBundledFile);
}

function isBundledFile(value: unknown): value is BundledFile {
  if (!isObject(value)) return false;
  const { path, original_path: original, original_path_rel: relative } = value;
  return typeof path === "string" && typeof original === "string" && typeof (relative ?? "") === "string";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function parseJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(json));
  } catch {
    throw unreadable("its meta.json is not JSON");
  }
}

export function unreadable(what: string): ProblemError {
  return notReadable(
    `This is not a bundle as the uploader makes it: ${what}. Nothing was kept; send it again.`,
  );
}

export function tooLargeMeta(): ProblemError {
  return notReadable(
    "The meta.json of the bundle holds more than is read of one: it has room for some thousands of reports. Nothing was kept. Upload the reports in several bundles.",
  );
}

function notReadable(detail: string): ProblemError {
  return new ProblemError({ code: "BUNDLE_NOT_READABLE", detail } satisfies Problem);
}
