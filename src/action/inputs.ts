import { parsePriority } from "../engine/model/entry.ts";
import { InputReader } from "./input-reader.ts";
import { type BazelInputs, readBazelInputs } from "./providers/bazel/bazel-inputs.ts";
import { type ProviderName, providerNames } from "./providers/provider.ts";
import { type PathRule, parsePathRules } from "./targets/path-rules.ts";
import { readUploadTests, type UploadTestsInputs } from "./test-reports/read-inputs.ts";

/** The inputs that every command takes. */
export interface CommonInputs {
  readonly apiUrl: string;
  /** Null if the workflow has no secrets. */
  readonly apiToken: string | null;
  /** The audience of the job's own token; null = the service's address. */
  readonly audience: string | null;
  readonly githubToken: string | null;
  readonly targetBranch: string | null;
  readonly repository: { readonly owner: string; readonly name: string } | null;
  readonly pr: number | null;
  readonly timeoutMs: number;
  readonly dryRun: boolean;
  readonly strict: boolean;
  /** Whether to log details of each step. */
  readonly verbose: boolean;
}

export interface SubmitInputs extends CommonInputs {
  readonly command: "submit";
  /** As written in the workflow, such as `high`; null = the queue's default. */
  readonly priority: string | null;
  readonly noBatch: boolean;
  readonly wait: boolean;
}

export interface CancelInputs extends CommonInputs {
  readonly command: "cancel";
}

export interface RestartInputs extends CommonInputs {
  readonly command: "restart";
}

export interface StatusInputs extends CommonInputs {
  readonly command: "status";
}

export interface ProvedInputs extends CommonInputs {
  readonly command: "proved";
  /** The full SHA of a commit; null = the commit that the workflow runs on. */
  readonly sha: string | null;
}

export interface ContextInputs extends CommonInputs {
  readonly command: "context";
  /** Relative to the top of the checkout. */
  readonly workingDirectory: string;
  /** The prefix of the queue's test branches. */
  readonly testBranchPrefix: string;
}

export interface ImpactedTargetsInputs extends CommonInputs {
  readonly command: "impacted-targets";
  readonly provider: ProviderInputs;
  /** Relative to the top of the checkout. */
  readonly workingDirectory: string;
  /** Globs of files that impact everything; the word `default` stands for the provider's own globs. */
  readonly impactAllPaths: readonly string[];
  /** The path of a file with filters for such files, relative to the top of the checkout; empty for none. */
  readonly impactAllFilters: string;
  readonly onError: "fail" | "all";
}

interface ProviderInputs {
  readonly name: ProviderName;
  /** The provider `paths` knows only these rules. Other providers add the rules' targets to their own. */
  readonly rules: readonly PathRule[];
  /** The path of a file with filters that are used like these rules, relative to the top of the checkout; empty for none. */
  readonly filters: string;
  /** Used only by the provider `command`. */
  readonly shellCommand: string;
  readonly bazel: BazelInputs;
}

export type PullRequestInputs =
  | SubmitInputs
  | CancelInputs
  | RestartInputs
  | StatusInputs
  | ImpactedTargetsInputs;

export type Inputs = PullRequestInputs | UploadTestsInputs | ProvedInputs | ContextInputs;

export const commands = [
  "submit",
  "cancel",
  "restart",
  "impacted-targets",
  "status",
  "upload-tests",
  "proved",
  "context",
] as const;

/** A fault of an input, and what to write instead. */
export interface InputIssue {
  readonly input: string;
  readonly problem: string;
}

const defaultTimeoutMinutes = 60;
/** A job takes at most 6 hours on GitHub's runners, and at most 5 days on self-hosted ones. */
const maxTimeoutMinutes = 7_200;

/** Returns the step's inputs, or all their faults at once. An empty input counts as absent. */
export function parseInputs(get: (name: string) => string): Inputs | { issues: readonly InputIssue[] } {
  const reader = new InputReader(get);
  const command = reader.oneOf("command", commands, null);
  const common = readCommon(reader);
  const inputs = command === null ? null : readCommand(reader, command, common);
  return inputs !== null && reader.issues.length === 0 ? inputs : { issues: reader.issues };
}

function readCommon(reader: InputReader): CommonInputs {
  return {
    apiUrl: reader.url("api-url"),
    apiToken: reader.token("api-token"),
    audience: reader.text("api-audience"),
    githubToken: reader.token("github-token"),
    targetBranch: reader.text("target-branch"),
    repository: reader.repository("repository"),
    pr: reader.pullRequest("pr-number"),
    timeoutMs: reader.minutes("timeout-minutes", defaultTimeoutMinutes, maxTimeoutMinutes) * 60_000,
    dryRun: reader.boolean("dry-run"),
    strict: reader.boolean("strict"),
    verbose: reader.boolean("verbose"),
  };
}

function readCommand(reader: InputReader, command: Inputs["command"], common: CommonInputs): Inputs {
  switch (command) {
    case "submit": {
      const wait = reader.boolean("wait");
      return {
        ...common,
        command,
        priority: readPriority(reader),
        noBatch: reader.boolean("no-batch"),
        wait,
      };
    }
    case "cancel":
    case "restart":
      return { ...common, command };
    case "status":
      if (common.githubToken === null && !common.dryRun) {
        reader.fault("github-token", "is empty; leave the input out to use the job's own token");
      }
      return { ...common, command };
    case "upload-tests":
      return readUploadTests(reader, common);
    case "proved":
      return { ...common, command, sha: reader.sha("sha") };
    case "context":
      return {
        ...common,
        command,
        workingDirectory: reader.directory("working-directory"),
        testBranchPrefix: reader.testBranchPrefix(),
      };
    case "impacted-targets":
      return {
        ...common,
        command,
        provider: readProvider(reader),
        workingDirectory: reader.directory("working-directory"),
        impactAllPaths: reader.globs("impact-all-paths"),
        impactAllFilters: reader.file("impact-all-filters-path"),
        onError: reader.oneOf("on-error", ["fail", "all"], "fail") ?? "fail",
      };
  }
}

function readPriority(reader: InputReader): string | null {
  const priority = reader.text("priority");
  if (priority !== null && parsePriority(priority) === null) {
    reader.fault("priority", `is "${priority}"; use urgent, high, medium, low, or a number from 0`);
  }
  return priority;
}

function readProvider(reader: InputReader): ProviderInputs {
  const name = reader.oneOf("provider", providerNames, "auto") ?? "auto";
  const { rules, problems } = parsePathRules(reader.text("targets-paths") ?? "");
  for (const problem of problems) reader.fault("targets-paths", problem);
  const filters = reader.file("targets-filters-path");
  if (name === "paths" && rules.length === 0 && problems.length === 0 && filters === "") {
    reader.fault("targets-paths", "is missing; write one `name: glob, glob` per line");
  }
  const shellCommand = reader.text("targets-command") ?? "";
  if (name === "command" && shellCommand === "") {
    reader.fault("targets-command", "is missing; give a command that prints one target per line");
  }
  return { name, rules, filters, shellCommand, bazel: readBazelInputs(reader) };
}
