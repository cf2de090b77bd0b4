import type { RequestOf } from "../../src/client/client.ts";
import type { Clock } from "../../src/ports/code-host/runtime.ts";
import type { RepositoryOptions } from "../../tools/sandbox/create-repository.ts";
import type { Sandbox, SandboxOptions } from "../../tools/sandbox/sandbox.ts";
import type { ProtectionOptions } from "../../tools/sandbox/world/rules/protection.ts";
import type { RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import type { RunningService } from "./stage-service.ts";

export interface StageOptions {
  readonly sandbox?: SandboxOptions;
  readonly queue?: Partial<RequestOf<"createQueue">>;
  readonly ci?: NonNullable<Parameters<Sandbox["createRepository"]>[0]["ci"]>;
  /** Null = main is not protected. */
  readonly requiredChecks?: readonly string[] | null;
  readonly rulesets?: (sandbox: Sandbox) => RulesetOptions[];
  readonly repository?: Partial<RepositoryOptions>;
  /** Further rules of main. */
  readonly rules?: ProtectionOptions;
  /** Whether the App is on the bypass list of main's protection. */
  readonly bypass?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  /** Puts a proxy between the service and GitHub. Returns the host at which the service reaches it. */
  readonly through?: (githubUrl: string) => Promise<string>;
  /** Starts the service in the given environment, outside this process. */
  readonly start?: (environment: Readonly<Record<string, string>>) => Promise<RunningService>;
  /** Default: SQLite, or PostgreSQL in `npm run test:postgres`. */
  readonly databaseUrl?: string;
  /** Needs a file, because the test looks into it or copies it. */
  readonly needsFile?: boolean;
  /** The service's clock. Default: the machine's. */
  readonly clock?: Clock;
}
