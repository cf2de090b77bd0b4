/** GitHub's runner, as a step talks to it. Secrets that were masked appear in nothing that is written. */
export interface Runner {
  /** Hides a secret from here on, in the log of the whole job too. */
  mask(secret: string): void;
  /** Writes one line to the log. */
  log(line: string): void;
  /** Writes one line that only somebody wants who looks for a fault: with `verbose`, or in a run with debug logging. */
  detail(line: string): void;
  /** Writes to the log, and shows it on the run's page and on the pull request. */
  annotate(level: "notice" | "warning" | "error", title: string, message: string): void;
  output(name: string, value: string): void;
  /** Adds Markdown to the job's summary. */
  summarise(markdown: string): Promise<void>;
}
