/** Trainyard as the demo uses it: one process, or several behind one address. */
export interface DemoService {
  readonly url: string;
  /** The number of processes that were started so far. */
  readonly starts: number;
  /** Resolves when it is ready. Rejects with the end of its log if it is not ready within two minutes. */
  start(): Promise<void>;
  /** Ends a process as a power cut would. The next `start` replaces it. */
  kill(): Promise<void>;
  /** Ends gracefully. It cannot be started again. */
  stop(): Promise<void>;
  /** Throws when a process ended unexpectedly. */
  check(): void;
}
