import type { Octokit } from "@octokit/rest";
import type { InstallationUsage, Quota } from "../../ports/code-host/app.ts";

type Headers = Readonly<Record<string, string | number | undefined>>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
}

/** Counts the requests of each installation, and records the remaining quotas that GitHub reports. */
export class CallMeter {
  readonly #requests = new Map<number, Map<string, number>>();
  readonly #quotas = new Map<number, Map<string, Quota>>();

  /** Watches a client. Must be called before hooks that answer instead of GitHub: only requests that were really sent count. */
  watch(client: Octokit, installationId: number): void {
    client.hook.after("request", ({ status, headers }) =>
      this.#take(installationId, { status, headers: headers as Headers }),
    );
    client.hook.error("request", (error) => {
      const failed = error as { status?: number; response?: { headers?: Headers } };
      // Octokit sets 500 when there was no response.
      const status = failed.response ? (failed.status ?? 0) : 0;
      this.#take(installationId, { status, headers: failed.response?.headers ?? {} });
      throw error;
    });
  }

  usage(): readonly InstallationUsage[] {
    return [...this.#requests].map(([installationId, requests]) => ({
      installationId,
      requests,
      quotas: [...(this.#quotas.get(installationId)?.values() ?? [])],
    }));
  }

  #take(installationId: number, { status, headers }: Answer): void {
    const kind = status === 0 ? "none" : `${Math.floor(status / 100)}xx`;
    const requests = this.#requests.get(installationId) ?? new Map<string, number>();
    requests.set(kind, (requests.get(kind) ?? 0) + 1);
    this.#requests.set(installationId, requests);
    const [limit, remaining] = [headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]];
    if (limit === undefined || remaining === undefined) return;
    const resource = String(headers["x-ratelimit-resource"] ?? "core");
    const quotas = this.#quotas.get(installationId) ?? new Map<string, Quota>();
    quotas.set(resource, { resource, limit: Number(limit), remaining: Number(remaining) });
    this.#quotas.set(installationId, quotas);
  }
}
