import http from "node:http";
import { proxiesOf } from "../action/proxies.ts";
import type { Logger } from "../ports/code-host/runtime.ts";

const bypassVariables = ["no_proxy", "NO_PROXY"];
const thisMachine = ["127.0.0.1", "localhost"];

type Env = Record<string, string | undefined>;

/**
 * Makes `fetch` use the proxies that the environment names, as curl and git do. Node.js does not do so by default. Webhooks that the
 * service sends never use them, because a proxy would resolve names that have to be checked.
 *
 * @returns false, after it was logged, if the address of a proxy is invalid
 */
export function useProxies(log: Pick<Logger, "info" | "warn" | "error">, env: Env = process.env): boolean {
  const proxies = proxiesOf(env);
  const variables = Object.keys(proxies);
  if (variables.length === 0 || env.NODE_USE_ENV_PROXY === "1") return true;
  const invalid = variables.find((name) => !/^https?:$/.test(URL.parse(proxies[name] ?? "")?.protocol ?? ""));
  if (invalid !== undefined) {
    log.error(
      { code: "PROXY_INVALID" },
      `${invalid} must be an address such as http://proxy.example.com:3128`,
    );
    return false;
  }
  if (typeof http.setGlobalProxyFromEnv === "function") {
    http.setGlobalProxyFromEnv({ ...env, ...proxies });
    log.info({ variables }, "GitHub is called through the proxy that the environment names");
  } else {
    const what = "this Node.js uses a proxy only if NODE_USE_ENV_PROXY=1 is set, so none is used";
    log.warn({ code: "PROXY_NOT_USED", variables }, what);
  }
  return true;
}

/** Makes an environment exclude this machine from proxies, for this process and its children. Git reads these variables, too. */
export function callThisMachineDirectly(env: Env = process.env): void {
  // Where both are set, programs read the first one only.
  const named = env.no_proxy || env.NO_PROXY || "";
  for (const name of bypassVariables)
    env[name] = [named, ...thisMachine].filter((host) => host !== "").join(",");
}
