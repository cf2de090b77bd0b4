/** GitHub's runner, as a step uses it. Masked secrets never appear in its output. */
export interface Runner {
  /** Hides a secret from now on, in the log of the whole job. */
  mask(secret: string): void;
  /** Writes one line to the log. */
  log(line: string): void;
  /** Writes one line for debugging. It appears with `verbose`, or in a run with debug logging. */
  detail(line: string): void;
  /** Writes to the log, and shows the message on the run's page and on the pull request. */
  annotate(level: "notice" | "warning" | "error", title: string, message: string): void;
  output(name: string, value: string): void;
  /** Adds Markdown to the job's summary. */
  summarise(markdown: string): Promise<void>;
}
