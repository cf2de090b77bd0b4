import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createZstdDecompress } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import * as z from "zod";
import type { RepositoryRef } from "../engine/queue.ts";
import { longestVariant } from "../flaky/identity.ts";
import type { SentBundle } from "../service/flaky/bundles.ts";
import { ProblemError } from "./problem.ts";
import { repository } from "./schema/repository.ts";

const pieceBytes = 64 * 1024;
const mebibyte = 1024 * 1024;
/** Of the bundle as it is sent, and of all that it holds. */
const limits = { sent: 20 * mebibyte, inflated: 300 * mebibyte, meta: 4 * mebibyte };

const metaFile = z.object({
  repo: z.object({
    repo: repository,
    repo_head_sha: z.string().regex(/^[0-9a-fA-F]{7,64}$/),
    repo_head_branch: z.string().max(500),
  }),
  bundle_upload_id: z.string().max(200).catch(""),
  variant: z.string().max(longestVariant).nullish(),
  envs: z.record(z.string(), z.string()).catch({}),
  file_sets: z.array(
    z.object({
      file_set_type: z.string().catch("Junit"),
      files: z.array(
        z.object({ path: z.string(), original_path: z.string(), original_path_rel: z.string().nullish() }),
      ),
    }),
  ),
});

type MetaFile = z.output<typeof metaFile>;

/** A bundle whose first file was read. Its reports have to be gone through to find out whether it is whole. */
export type OpenedBundle = SentBundle & { readonly repo: RepositoryRef };

/**
 * Opens a bundle of Trunk's uploader: tar in zstd, `meta.json` first. Nothing of it is ever held but that.
 *
 * @throws ProblemError 400 when it is no such bundle or is damaged, 413 when it is too large; later, from the reports, as well.
 */
export async function openBundle(payload: AsyncIterable<Buffer>): Promise<OpenedBundle> {
  const entries = entriesOf(payload);
  const first = await entries.next();
  if (first.done || first.value.header.name !== "meta.json")
    throw unreadable("its first file is not meta.json");
  if (first.value.header.size > limits.meta) throw unreadable("its meta.json is too large");
  const meta = metaFile.safeParse(await readJson(first.value));
  if (!meta.success) throw unreadable(`its meta.json lacks ${meta.error.issues[0]?.path.join(".")}`);
  const names = reportsOf(meta.data);
  const { repo, envs, variant, bundle_upload_id: bundleId } = meta.data;
  return {
    repo: repo.repo,
    meta: {
      headSha: repo.repo_head_sha,
      headBranch: repo.repo_head_branch,
      bundleId,
      variant: variant ?? "",
      envs,
    },
    expectedReports: names.size,
    reports: sentReports(entries, names),
  };
}

async function* sentReports(entries: AsyncGenerator<ParsedTarEntry>, names: ReadonlyMap<string, string>) {
  for await (const { header, body } of entries) {
    const path = names.get(header.name);
    if (path === undefined) await body.cancel();
    else yield { path, pieces: body as AsyncIterable<Uint8Array> };
  }
}

/** What each JUnit file was called before it was put into the bundle. */
function reportsOf({ file_sets }: MetaFile): ReadonlyMap<string, string> {
  const junit = file_sets.filter(({ file_set_type: type }) => type.toLowerCase() === "junit");
  const files = junit.flatMap((set) => set.files);
  return new Map(files.map((file) => [file.path, file.original_path_rel || file.original_path]));
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

async function readJson({ body }: ParsedTarEntry): Promise<unknown> {
  try {
    return await new Response(body).json();
  } catch (error) {
    throw error instanceof ProblemError ? error : unreadable("its meta.json is not JSON");
  }
}

function unreadable(what: string): ProblemError {
  return new ProblemError({
    code: "BUNDLE_NOT_READABLE",
    detail: `This is not a bundle as the uploader makes it: ${what}. Nothing was kept; send it again.`,
  });
}
