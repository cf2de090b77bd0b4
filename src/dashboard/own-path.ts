const origin = "http://here.invalid";

/** Returns a path of this site with its query; `/` for everything else, such as the address of another site. */
export function ownPath(path: unknown): string {
  if (typeof path !== "string" || !path.startsWith("/")) return "/";
  try {
    // The parser also reads `//host` and `/\\host` as other sites.
    const url = new URL(path, origin);
    return url.origin === origin && !url.pathname.startsWith("//") ? `${url.pathname}${url.search}` : "/";
  } catch {
    return "/";
  }
}
