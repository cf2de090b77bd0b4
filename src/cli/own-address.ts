/** The address of the service on this machine, by `HOST` and `PORT`. */
export function ownAddress({ HOST, PORT }: Readonly<Record<string, string | undefined>>): string {
  return `http://${reachable(HOST || "localhost")}:${PORT || 3000}`;
}

/** The address at which this machine reaches a service that listens on all addresses. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
