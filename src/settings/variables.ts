/** The environment of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Removes empty variables, which count as absent. */
export function withoutEmpty(env: Variables) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
}
