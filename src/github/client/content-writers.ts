import type { InstalledRepository } from "../../ports/code-host/code-host.ts";
import type { AppClient } from "./app-client.ts";
import { ContentWriter } from "./content-writer.ts";

/** Keeps one writer for each installation: GitHub limits what an installation creates. */
export class ContentWriters {
  readonly #client: Pick<AppClient, "installation" | "limiter">;
  readonly #writers = new Map<number, ContentWriter>();

  constructor(client: Pick<AppClient, "installation" | "limiter">) {
    this.#client = client;
  }

  of({ installationId }: Pick<InstalledRepository, "installationId">): ContentWriter {
    const known = this.#writers.get(installationId);
    if (known) return known;
    const takeLeave = () => this.#client.limiter.take(installationId, false);
    const writer = new ContentWriter(this.#client.installation(installationId), takeLeave);
    this.#writers.set(installationId, writer);
    return writer;
  }
}
