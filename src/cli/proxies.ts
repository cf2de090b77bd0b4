import http from "node:http";
import type { Logger } from "../ports/code-host/runtime.ts";

const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];
const bypassVariables = ["no_proxy", "NO_PROXY"];
const thisMachine = ["127.0.0.1", "localhost"];

type Env = Record<string, string | undefined>;

/**
 * Makes `fetch` use the proxies that the environment names, as curl and git do. Node.js does not do so by default. Webhooks that the
 * service sends never use them, because a proxy would resolve names that have to be checked.
 */
export function useProxies(log: Pick<Logger, "info" | "warn">, env: Env = process.env): void {
  const proxies = proxyVariables.filter((name) => env[name]);
  if (proxies.length === 0) return;
  if (typeof http.setGlobalProxyFromEnv === "function") {
    http.setGlobalProxyFromEnv();
    log.info({ variables: proxies }, "GitHub is called through the proxy that the environment names");
  } else if (env.NODE_USE_ENV_PROXY !== "1") {
    const what =
      "this Node.js uses a proxy only if NODE_USE_ENV_PROXY=1 is set, so GitHub is called directly";
    log.warn({ code: "PROXY_NOT_USED", variables: proxies }, what);
  }
}

/** Lets nothing on this machine be called through a proxy, by this process or its children. Git also reads these variables. */
export function callThisMachineDirectly(env: Env = process.env): void {
  for (const name of bypassVariables)
    env[name] = [env[name] ?? "", ...thisMachine].filter((host) => host !== "").join(",");
}
