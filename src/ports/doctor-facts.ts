import type { RepositoryRef } from "../engine/model/queue.ts";
import type { AppAccess } from "./app-registration.ts";
import type { Reach } from "./repository-reach.ts";

/** Everything that `doctor` judges by, as the code host tells it. Each fact is read on its own, and may be missing. */
export interface DoctorFacts {
  readonly app: AppFact;
  readonly server: ServerFact;
  readonly hook: HookFact;
  /** The last ones, newest first, of every repository. */
  readonly deliveries: readonly HookDelivery[];
  /** Null: calls are not limited. */
  readonly budget: CallBudget | null;
  readonly reach: Reach;
  readonly repository: RepositoryFact;
  readonly protection: ProtectionFact;
  readonly rules: RulesFact;
  readonly workflows: WorkflowFiles;
  /** What reported on the last test branches, and what besides GitHub Actions reported on the base's tip. */
  readonly pushed: Reports;
  /** What reported on the heads of the pull requests that changed last. */
  readonly heads: Reports;
  readonly testBranches: readonly PushedBranch[];
  /** The text of `.github/trainyard.yml` on the branch; null: there is none. */
  readonly repositoryFile: string | null;
}

export type FactName = keyof DoctorFacts;

/** The repository and branch that is examined. */
export interface DoctorPlace {
  readonly repo: RepositoryRef;
  readonly branch: string;
  /** Null: the App is not installed on the repository. */
  readonly installationId: number | null;
  readonly ownBranches: OwnBranchNames;
}

/** Names that branches of the queue will have. */
export interface OwnBranchNames {
  readonly testPrefix: string;
  /** One whole name. */
  readonly test: string;
  readonly scratch: string;
}

export interface DoctorReader {
  /** Null: the App is not installed there, or there is no such repository. */
  findInstallation(repo: RepositoryRef): Promise<number | null>;
  /** Throws a `CodeHostFailure` when it cannot be read. */
  readFact<Name extends FactName>(name: Name, place: DoctorPlace): Promise<DoctorFacts[Name]>;
}

export type AppFact =
  | { readonly kind: "refused"; readonly reason: string }
  | ({
      readonly kind: "read";
      readonly id: number;
      readonly slug: string;
      /** The page of its settings, below which are `/permissions` and `/advanced`. */
      readonly settingsUrl: string;
    } & AppAccess);

/** What the code host says of itself. */
export interface ServerFact {
  /** Its clock, in milliseconds since the epoch and whole seconds; null: it did not tell. */
  readonly date: number | null;
  /** The REST version in which it answered; null: it did not tell. */
  readonly apiVersion: string | null;
  /** Of a GitHub Enterprise Server. */
  readonly enterpriseVersion: string | null;
}

export interface HookFact {
  /** Where webhooks go; null: nowhere. */
  readonly url: string | null;
}

/** An attempt to bring a webhook. */
export interface HookDelivery {
  readonly guid: string;
  readonly event: string;
  /** `OK`, or what went wrong. */
  readonly status: string;
  /** 0: there was no answer. */
  readonly statusCode: number;
  readonly at: number;
}

/** Calls an hour. */
export interface CallBudget {
  readonly limit: number;
  readonly remaining: number;
  /** When it is full again, in milliseconds since the epoch. */
  readonly resetAt: number;
}

export interface RepositoryFact {
  readonly url: string;
  readonly defaultBranch: string;
  /** Null: it was not told. */
  readonly allowMergeCommit: boolean | null;
  readonly allowSquashMerge: boolean | null;
  readonly allowRebaseMerge: boolean | null;
  readonly allowAutoMerge: boolean | null;
}

/** Classic branch protection. Only administrators are shown more than the required checks. */
export interface ProtectionFact {
  readonly isProtected: boolean;
  /** Null: hidden, or not protected. */
  readonly details: { readonly strict: boolean; readonly linearHistory: boolean } | null;
  readonly required: readonly NamedCheck[];
}

export interface NamedCheck {
  readonly name: string;
  /** The App that has to report it; null: any. */
  readonly appId: number | null;
}

/** Null: the repository's plan has no rulesets. */
export type RulesFact = {
  readonly base: readonly RuleFact[];
  readonly test: readonly RuleFact[];
  readonly scratch: readonly RuleFact[];
} | null;

export interface RuleFact {
  /** As the API names it: `required_signatures`. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly ruleset: RulesetFact;
}

export interface RulesetFact {
  readonly name: string;
  /** The page on which it is changed; null: it was not told. */
  readonly url: string | null;
  /** How the App gets round it. */
  readonly bypass: "always" | "pull_request" | "exempt" | "never" | "unknown";
}

export interface WorkflowFiles {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Files beyond the number that is read. */
  readonly unread: number;
}

export interface Reports {
  /** How many commits of test branches, or heads, were looked at. */
  readonly commits: number;
  readonly checks: readonly NamedCheck[];
}

export interface PushedBranch {
  readonly name: string;
  /** The login of who pushed it last; null: it was not told. */
  readonly by: string | null;
}
