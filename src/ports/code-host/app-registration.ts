/**
 * Permissions by name (`contents`) with `read`, `write` or `admin`, and the webhook events that the App
 * subscribes to.
 */
export interface AppAccess {
  readonly permissions: Readonly<Record<string, string>>;
  readonly events: readonly string[];
}

/** The App as registered at the code host. */
export interface RegisteredApp extends AppAccess {
  /** The settings page where its owner changes permissions and events. */
  readonly settingsUrl: string;
}

export interface AppRegistration {
  /**
   * Reads the App. `refused` says why the code host rejects the credentials. Throws when the code host is
   * unavailable, limits our calls or answers anything else.
   */
  read(signal: AbortSignal): Promise<RegisteredApp | { readonly refused: string }>;
}

/** Why the service cannot merge anything with the App that it runs as. */
export interface AppFault {
  readonly code: "APP_NOT_READ_YET" | "APP_CREDENTIALS_REFUSED" | "APP_PERMISSIONS_MISSING";
  /** What is wrong and what to do. */
  readonly problem: string;
}
