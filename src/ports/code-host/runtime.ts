/** The current time, passed as a dependency to all code that needs it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface Ids {
  /** A new uuid. */
  next(): string;
}

/** Structured logging: fields first, then one sentence. Must never contain a secret. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
