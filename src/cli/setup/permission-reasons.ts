/** Why the App asks for each permission of `app.yml`. The set-up page shows it. */
export const permissionReasons: Readonly<Record<string, string>> = {
  actions:
    "Runs failed jobs again when only known flaky tests failed, and cancels runs whose result is no longer needed. Checks the runs that pull requests from forks name instead of a token.",
  checks: "Shows the state in the queue as a check, and reads the checks that CI reports.",
  contents: "Builds test branches and merges.",
  issues:
    "Answers commands in one comment per pull request. Opens issues about flaky tests if you turn that on.",
  metadata: "Reads repositories, and what each user may do in them.",
  pull_requests: "Reads and merges pull requests.",
  statuses: "Reads commit statuses that CI reports.",
  workflows: "Merges pull requests that change workflow files. Without it, only those are refused.",
};
