/** The environment as a process has it. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** An empty variable counts as absent. */
export function withoutEmpty(env: Variables) {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
}
