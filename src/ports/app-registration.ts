/** Permissions by name (`contents`) with `read`, `write` or `admin`, and the events that webhooks are sent for. */
export interface AppAccess {
  readonly permissions: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

/** The App as the code host has it. */
export interface RegisteredApp extends AppAccess {
  /** The page on which its owner changes permissions and events. */
  readonly settingsUrl: string;
}

export interface AppRegistration {
  /**
   * Reads the App. `refused`: the code host does not take the credentials, and why. Throws when it is away, limits us or answers
   * something else.
   */
  read(signal: AbortSignal): Promise<RegisteredApp | { readonly refused: string }>;
}

/** Why the service cannot merge anything as the App that it runs as. */
export interface AppFault {
  readonly code: "APP_NOT_READ_YET" | "APP_CREDENTIALS_REFUSED" | "APP_PERMISSIONS_MISSING";
  /** What is wrong and what to do. */
  readonly problem: string;
}
