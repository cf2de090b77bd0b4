/** Where CI systems put a repository: what a report says of a file may begin so. Sources: documentation of GitHub Actions and GitLab. */
const workspaces = [
  /^(?:[a-z]:)?\/(?:home\/runner\/work|__w|Users\/runner\/work|a|actions-runner\/_work)\/[^/]+\/[^/]+\//i,
  /^\/github\/workspace\//,
  /^\/builds\/[^/]+\/[^/]+\//,
];

/** The path of a test's file from the repository's root, as far as its report says; null when it does not. */
export function repositoryPathOf(test: {
  readonly file: string | null;
  readonly classname: string | null;
}): string | null {
  // Vitest and Playwright put the file there.
  const written = test.file ?? (isPath(test.classname) ? test.classname : null);
  if (!written) return null;
  const path = written.replaceAll("\\", "/");
  const workspace = workspaces.find((one) => one.test(path));
  const within = workspace ? path.replace(workspace, "") : path.replace(/^(?:\.\/)+/, "");
  return within === "" || within.startsWith("/") || within.startsWith("../") ? null : within;
}

function isPath(text: string | null): text is string {
  return text !== null && /[/\\]/.test(text) && /\.\w{1,8}$/.test(text) && !/\s/.test(text);
}
