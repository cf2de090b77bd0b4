import { deepEqual } from "node:assert/strict";
import { inspect } from "node:util";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import type { RepositoryOptions } from "../../tools/sandbox/create-repository.ts";
import type { Sandbox, SandboxOptions, SandboxRepository, SandboxUser } from "../../tools/sandbox/sandbox.ts";
import { startSandbox } from "../../tools/sandbox/start-sandbox.ts";

export const CI_APP_ID = 15_368;
export const target = { owner: "acme", repo: "widgets" };

/** GitHub's API as a client may use it in the sandbox's repository. */
export const apiOf = (octokit: Octokit) => ({ octokit, at: target });

/** Requires both checks of CI, from CI's App. */
export const requiredChecks = ["build", "test"].map((context) => ({ context, appId: CI_APP_ID }));

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface Scene {
  sandbox: Sandbox;
  repository: SandboxRepository;
  alice: SandboxUser;
  carol: SandboxUser;
  admin: SandboxUser;
  /**
   * Clients of GitHub: users with write, read, and administrator access; the App by its key; the App's
   * installation.
   */
  asAlice: Octokit;
  asCarol: Octokit;
  asAdmin: Octokit;
  asApp: Octokit;
  asInstallation: Octokit;
  /** The violations that the test provokes on purpose. */
  expectedViolations: { kind: string; subject: string }[];
}

export const client = (sandbox: Sandbox, token: string): Octokit =>
  new Octokit({ baseUrl: `${sandbox.url}/api/v3`, auth: token, log: silent });

export function appClient(sandbox: Sandbox, auth: object = {}): Octokit {
  const { id: appId, privateKey } = sandbox.app;
  return new Octokit({
    baseUrl: `${sandbox.url}/api/v3`,
    authStrategy: createAppAuth,
    auth: { appId, privateKey, ...auth },
    log: silent,
  });
}

/**
 * Runs a test in a sandbox with the repository acme/widgets. Fails if GitHub's rules were violated, except
 * by the expected violations.
 */
export async function inSandbox(
  test: (scene: Scene) => Promise<void>,
  options: SandboxOptions = {},
  repositoryOptions: Partial<RepositoryOptions> = {},
): Promise<void> {
  const sandbox = await startSandbox(options);
  try {
    const [alice, carol, admin] = [
      sandbox.createUser({ login: "alice", permission: "write" }),
      sandbox.createUser({ login: "carol", permission: "read" }),
      sandbox.createUser({ login: "admin", permission: "admin" }),
    ];
    const repository = await sandbox.createRepository({
      owner: target.owner,
      name: target.repo,
      files: { "README.md": "# Widgets\n", "facts/base.json": '{"sets":["base"]}\n' },
      ci: { durationMs: [5, 15] },
      ...repositoryOptions,
    });
    const asApp = appClient(sandbox);
    const { data: installation } = await asApp.rest.apps.getRepoInstallation(target);
    const scene: Scene = {
      sandbox,
      repository,
      alice,
      carol,
      admin,
      asAlice: client(sandbox, alice.token),
      asCarol: client(sandbox, carol.token),
      asAdmin: client(sandbox, admin.token),
      asApp,
      asInstallation: appClient(sandbox, { installationId: installation.id }),
      expectedViolations: [],
    };
    await test(scene);
    await sandbox.settled();
    const found = sandbox.violations.map(({ kind, subject }) => ({ kind, subject }));
    deepEqual(found, scene.expectedViolations, inspect(sandbox.violations));
  } finally {
    await sandbox.close();
  }
}

/** The status and GitHub's message of a refused API call. Throws when the call succeeds. */
export async function refusal(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call;
  } catch (error) {
    const { status, response } = error as { status: number; response: { data: { message: string } } };
    return { status, message: response.data.message };
  }
  throw new Error("the call succeeded");
}
