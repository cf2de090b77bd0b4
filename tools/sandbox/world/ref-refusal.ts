/**
 * The reasons why a ref may not change, in GitHub's words.
 * - `protection`: classic branch protection
 * - `ruleset`: a rule of a ruleset
 * - `permission`: the App lacks a permission
 */
export interface RefRefusal {
  by: "protection" | "ruleset" | "permission";
  reasons: string[];
}

/** Returns the message for responses of the REST and GraphQL APIs. */
export function refusalMessage({ by, reasons }: RefRefusal): string {
  if (by !== "ruleset") return reasons.join(" ");
  return `Repository rule violations found\n\n${reasons.map((reason) => `${reason}\n\n`).join("")}`;
}

/** Returns the messages that git shows for a refused push, and its reason for the ref. */
export function pushReport(
  { by, reasons }: RefRefusal,
  ref: string,
  repositoryUrl: string,
): { failure: string; messages: string[] } {
  const bullets = reasons.map((reason) => `- ${reason}`);
  if (by === "permission") return { failure: reasons.join(" "), messages: [] };
  if (by === "protection") {
    const messages = [`error: GH006: Protected branch update failed for ${ref}.`, "", ...bullets];
    return { failure: "protected branch hook declined", messages };
  }
  return {
    failure: "push declined due to repository rule violations",
    messages: [
      `error: GH013: Repository rule violations found for ${ref}.`,
      `Review all repository rules at ${repositoryUrl}/rules?ref=${encodeURIComponent(ref)}`,
      "",
      ...bullets.flatMap((bullet) => [bullet, ""]),
    ],
  };
}
