import type { Owner } from "./setup-page.ts";

/**
 * Reads for which account the App is created.
 * @param asked what the form sent; undefined = nothing, empty = the personal account
 * @param preset `GH_ORG`
 */
export function readOwner(asked: unknown, preset: string | undefined): Owner {
  const name = (typeof asked === "string" ? asked : (preset ?? "")).trim();
  if (name === "") return { organisation: null };
  if (/^[a-z\d](?:[a-z\d_-]{0,98}[a-z\d])?$/i.test(name)) return { organisation: name };
  return {
    problem: `"${name}" is not the name of an organisation. Enter the name as in its address on GitHub.`,
  };
}
