/** Returns one line about an address on which nothing can listen, which says what to do; null = the error is another one. */
export function explainListenError(
  error: unknown,
  { host, port }: { host: string; port: number },
): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== "listen" && syscall !== "getaddrinfo") return null;
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use (EADDRINUSE). Set PORT to another one, or stop what uses it.`;
    case "EACCES":
      return `Port ${port} needs more rights (EACCES). Set PORT to one above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine (${code}). Set HOST to one, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return `Nothing can listen on ${host}:${port} (${code}). Set HOST and PORT.`;
  }
}
