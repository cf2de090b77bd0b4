import { readAppRegistration } from "../../github/access/app-registration.ts";
import { AppClient } from "../../github/client/app-client.ts";
import { CallLimiter } from "../../github/client/call-limiter.ts";
import { GitHubCodeHost } from "../../github/github-code-host.ts";
import { AppCheck } from "../../service/access/app-check.ts";
import type { Foundation, GitHub } from "./foundation.ts";

/** Creates the client of GitHub, and the check that GitHub knows the App. Calls nothing yet. */
export function connectGitHub({
  settings: { github, scratchBranchPrefix },
  credentials: { id: appId, privateKey },
  manifest,
  store,
  log,
  clock,
}: Foundation): GitHub & { readonly appCheck: AppCheck } {
  const { apiUrl, restVersion } = github;
  const app = { appId, privateKey, apiUrl, restVersion };
  const limiter = new CallLimiter(store.callLimits, github.contentBudget, () => clock.now());
  const client = new AppClient(app, log, limiter);
  const appCheck = new AppCheck({
    readApp: (signal) => readAppRegistration(client, app, github.webUrl, signal),
    wanted: { permissions: manifest.default_permissions, events: manifest.default_events },
    log,
  });
  return {
    codeHost: new GitHubCodeHost(client, scratchBranchPrefix),
    usage: () => client.meter.usage(),
    appCheck,
  };
}
