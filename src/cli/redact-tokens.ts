/**
 * Matches complete tokens of GitHub of any length. Installation tokens contain a JWT, with dots and underscores. The length
 * of a JWT is limited, so that no text takes long.
 * https://github.blog/changelog/2026-04-24-notice-about-upcoming-new-format-for-github-app-installation-tokens/
 */
const tokens = /gh[oprsu]_[\w.-]{16,}|github_pat_\w{16,}|eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]{8,4000}/g;

/** Removes tokens of GitHub from a text. JSON stays valid. */
export function redactTokens(text: string): string {
  return text.replaceAll(tokens, "[token]");
}
