import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { createZstdDecompress } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { ProblemError } from "../../../api/problems/problem.ts";
import type { RepositoryRef } from "../../../engine/model/queue.ts";
import type { SentBundle } from "../../service/uploads/bundles.ts";
import { readBundleMeta, tooLargeMeta, unreadable } from "./bundle-meta.ts";

const pieceBytes = 64 * 1024;
const mebibyte = 1024 * 1024;
/** Maximum sizes in bytes: of the bundle as it is sent, of all its decompressed contents, and of `meta.json`. */
const limits = { sent: 20 * mebibyte, inflated: 300 * mebibyte, meta: 3 * mebibyte };

/** A bundle whose first file was read. Its reports have to be read to find out whether it is complete. */
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
