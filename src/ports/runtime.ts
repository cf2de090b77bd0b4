/** Time as an argument of everything that needs it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface Ids {
  /** A new uuid. */
  next(): string;
}

/** Structured logging: what happened as fields, then one sentence. Never a secret. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
