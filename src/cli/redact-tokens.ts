/**
 * Tokens of GitHub in full, whatever their length: those of installations hold a JWT, with dots and underscores. A JWT has a longest length
 * here, so that no text takes long.
 * https://github.blog/changelog/2026-04-24-notice-about-upcoming-new-format-for-github-app-installation-tokens/
 */
const tokens = /gh[oprsu]_[\w.-]{16,}|github_pat_\w{16,}|eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]{8,4000}/g;

/** A text without tokens of GitHub. JSON stays JSON. */
export function redactTokens(text: string): string {
  return text.replaceAll(tokens, "[token]");
}
