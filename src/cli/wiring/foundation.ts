import type { GitHubCodeHost } from "../../github/github-code-host.ts";
import type { InstallationUsage } from "../../ports/code-host/app.ts";
import type { Clock, Ids } from "../../ports/code-host/runtime.ts";
import type { AppSettings } from "../../settings/app-settings.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Store } from "../../store/sqlite/open-store.ts";
import type { AppManifest } from "../app-manifest.ts";
import type { Log } from "../log.ts";

/** What every part of the server is built on. */
export interface Foundation {
  readonly settings: Settings;
  readonly credentials: AppSettings;
  readonly manifest: AppManifest;
  readonly store: Store;
  readonly log: Log;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface GitHub {
  readonly codeHost: GitHubCodeHost;
  readonly usage: () => readonly InstallationUsage[];
}
