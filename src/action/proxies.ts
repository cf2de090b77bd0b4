import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";

type Env = Readonly<Record<string, string | undefined>>;

const variables = ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"];

/**
 * The proxies from the environment, by the variables that name them. As for curl, the scheme of an address is optional, and HTTP by
 * default.
 */
export function proxiesOf(env: Env): Record<string, string> {
  const named = variables.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return Object.fromEntries(
    named.map(([name, address]) => [name, address.includes("://") ? address : `http://${address}`]),
  );
}

/**
 * Makes `fetch` use the proxies that the environment names, as `curl` and git do. Node.js does not do so by default. Before 24.14, Node.js
 * accepts this setting only at its start, so this process is run a second time.
 *
 * @returns the exit code of the second run; null when this process can continue
 */
export async function useProxies(env: Env, argv: readonly string[]): Promise<number | null> {
  const proxies = proxiesOf(env);
  if (Object.keys(proxies).length === 0 || env.NODE_USE_ENV_PROXY === "1") return null;
  if (typeof http.setGlobalProxyFromEnv === "function") {
    http.setGlobalProxyFromEnv({ ...env, ...proxies });
    return null;
  }
  const child = spawn(process.execPath, argv, {
    env: { ...env, ...proxies, NODE_USE_ENV_PROXY: "1" },
    stdio: "inherit",
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, "close")) as [number | null];
  return code ?? 1;
}
