import type { CallLimitStore, CallLimits } from "../../../ports/code-host/app.ts";

/** Limits that one process keeps in memory. */
export class MemoryCallLimits implements CallLimitStore {
  readonly #limits = new Map<number, CallLimits>();

  async get(installationId: number): Promise<CallLimits | null> {
    return this.#limits.get(installationId) ?? null;
  }

  async update(
    installationId: number,
    change: (known: CallLimits | null) => CallLimits,
  ): Promise<CallLimits> {
    const limits = change(this.#limits.get(installationId) ?? null);
    this.#limits.set(installationId, limits);
    return limits;
  }
}
