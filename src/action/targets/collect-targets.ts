import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import type { EncodedBody } from "../../client/encoded-body.ts";
import type { Impact } from "../providers/provider.ts";
import { maxBodyBytes, TargetsBody } from "./targets-body.ts";

export interface Collected {
  /** The request without the targets. */
  readonly request: TargetsRequest;
  /** Null = everything, `ALL`. */
  readonly body: EncodedBody | null;
  /** The number of targets found; null when unknown. */
  readonly count: number | null;
  /** Why everything is impacted; null when there is a list. */
  readonly because: AllBecause | null;
  /** The path of a file with the same targets, one a line. */
  readonly file: string;
}

type AllBecause =
  | { readonly code: "IMPACTS_ALL"; readonly text: string }
  | { readonly code: "TOO_LARGE"; readonly text: string }
  | { readonly code: "PROVIDER_FAILED"; readonly text: string };

interface TargetsRequest {
  readonly repo: { readonly host: string; readonly owner: string; readonly name: string };
  readonly targetBranch: string;
  readonly pr: { readonly number: number; readonly sha: string };
}

/** The line among targets that stands for all targets. */
const everything = "ALL";

interface Collecting {
  readonly request: TargetsRequest;
  readonly temporary: string;
  find(): Promise<Impact>;
  /** Describes what went wrong. */
  explain(error: unknown): string;
}

/** Encodes the targets as they arrive, and writes them to a file. After any error, everything counts as impacted. */
export async function collectTargets(collecting: Collecting): Promise<Collected> {
  const { request, temporary, explain } = collecting;
  const file = await TargetsFile.create(temporary);
  const body = new TargetsBody(request);
  const because = await fill(body, file, collecting).catch((error: unknown): AllBecause => {
    return { code: "PROVIDER_FAILED", text: explain(error) };
  });
  const encoded = because === null ? body.finish() : null;
  if (encoded === null) await file.closeWithAll();
  else await file.close();
  const count = because?.code === "TOO_LARGE" || because === null ? body.count : null;
  return { request, body: encoded, count, because, file: file.path };
}

/** Returns null when there is a list that can be uploaded. */
async function fill(body: TargetsBody, file: TargetsFile, { find }: Collecting): Promise<AllBecause | null> {
  const impact = await find();
  if (impact.all) return { code: "IMPACTS_ALL", text: impact.because };
  let saysAll = false;
  // Read to the end even if the list is too long, because the provider may still fail after its last target.
  for await (const targets of impact.targets) {
    saysAll ||= targets.includes(everything);
    for (const target of targets) body.add(target);
    await file.add(targets);
  }
  if (saysAll) return { code: "IMPACTS_ALL", text: `the list of targets has the line ${everything}` };
  if (!body.isTooLarge) return null;
  const text = `${body.count} targets take ${body.byteLength} bytes as JSON, but at most ${maxBodyBytes / 1024 / 1024} MiB (${maxBodyBytes}) can be posted`;
  return { code: "TOO_LARGE", text };
}

/** A file of targets for later steps of the job: one a line, or the line `ALL`. */
class TargetsFile {
  readonly path: string;
  readonly #stream: WriteStream;

  private constructor(path: string) {
    this.path = path;
    this.#stream = createWriteStream(path);
  }

  /** @param temporary an existing directory. */
  static async create(temporary: string): Promise<TargetsFile> {
    return new TargetsFile(join(await mkdtemp(join(temporary, "trainyard-")), "targets.txt"));
  }

  async add(targets: readonly string[]): Promise<void> {
    if (targets.length > 0 && !this.#stream.write(`${targets.join("\n")}\n`))
      await once(this.#stream, "drain");
  }

  async close(): Promise<void> {
    this.#stream.end();
    await finished(this.#stream);
  }

  /** Closes the file, and replaces its content with `ALL`. */
  async closeWithAll(): Promise<void> {
    await this.close();
    await writeAll(this.path);
  }
}

/** Replaces the content of a file of targets with `ALL`. */
export async function writeAll(path: string): Promise<void> {
  await writeFile(path, "ALL\n");
}
