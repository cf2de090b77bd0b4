import type { Logger } from "../../ports/code-host/runtime.ts";
import type { ReplicaHooks } from "./replicas.ts";

/** Whether this replica leads. */
export class Lead {
  readonly #log: Pick<Logger, "info">;
  readonly #keptForMs: number;
  #hooks: Pick<ReplicaHooks, "lead" | "follow"> | null = null;
  #timer: NodeJS.Timeout | undefined;
  isHeld = false;
  /** Whether the leader's work should run. */
  #isWorking = false;
  #change: Promise<void> = Promise.resolve();

  /** @param keptForMs after this time without a confirmation, this replica stops leading */
  constructor(log: Pick<Logger, "info">, keptForMs: number) {
    this.#log = log;
    this.#keptForMs = keptForMs;
  }

  use(hooks: Pick<ReplicaHooks, "lead" | "follow">): void {
    this.#hooks = hooks;
  }

  /** @param beatAt when the beat that confirmed the lead was recorded, by `performance.now()` */
  keep(beatAt: number): void {
    clearTimeout(this.#timer);
    const leftMs = this.#keptForMs - (performance.now() - beatAt);
    // The work would be stopped right after its start.
    if (leftMs <= 0) return void this.drop();
    this.#timer = setTimeout(() => void this.drop(), leftMs).unref();
    if (this.isHeld) return;
    this.isHeld = true;
    this.#log.info({ code: "LEADS" }, "this replica does what only one may do");
    void this.#adapt();
  }

  async drop(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.isHeld) return;
    this.isHeld = false;
    this.#log.info({ code: "FOLLOWS" }, "another replica does what only one may do");
    await this.#adapt();
  }

  /**
   * Starts or stops the work, one change after the other. If this replica leads again while its work is still being stopped, the work must
   * not start earlier: the rest of the stop would end it.
   */
  #adapt(): Promise<void> {
    this.#change = this.#change.then(async () => {
      if (this.isHeld === this.#isWorking) return;
      this.#isWorking = this.isHeld;
      if (this.#isWorking) this.#hooks?.lead();
      else await this.#hooks?.follow();
    });
    return this.#change;
  }
}
