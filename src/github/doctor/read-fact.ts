import type { DoctorFacts, DoctorPlace, FactName } from "../../ports/code-host/doctor-facts.ts";
import { readRepositoryFile } from "../access/find-repository-file.ts";
import { readRequiredChecks } from "../access/protection.ts";
import { readReach } from "../access/read-reach.ts";
import type { AppClient } from "../client/app-client.ts";
import { CodeHostError } from "../client/code-host-error.ts";
import { findObstacles, type Repository } from "../test-commits/branches.ts";
import { readApp, readDeliveries, readHook, readServer } from "./read-app-facts.ts";
import { readHeads, readPushed } from "./read-reports.ts";
import { readBudget, readProtection, readRepository } from "./read-repository-facts.ts";
import { readRules } from "./read-rules.ts";
import { readTestBranches } from "./read-test-branches.ts";
import { readWorkflowFiles } from "./read-workflow-files.ts";

type Readers = { readonly [Name in FactName]: (place: DoctorPlace) => Promise<DoctorFacts[Name]> };

/** The function that reads each fact. */
export function factReaders(client: AppClient): Readers {
  const { app } = client;
  const octokitOf = ({ installationId }: DoctorPlace) => {
    if (installationId === null)
      throw new CodeHostError("not_found", "the GitHub App is not installed there");
    return client.installation(installationId);
  };
  return {
    app: () => readApp(app),
    server: () => readServer(app),
    hook: () => readHook(app),
    deliveries: () => readDeliveries(app),
    budget: async (place) => readBudget(octokitOf(place)),
    reach: async ({ repo, branch, installationId }) =>
      installationId === null
        ? { kind: "not_installed" }
        : readReach(client, { repo, branch, installationId, repositoryId: null }),
    repository: async (place) => readRepository(octokitOf(place), at(place)),
    protection: async (place) => readProtection(octokitOf(place), at(place), place.branch),
    rules: async (place) => readRules(octokitOf(place), at(place), place.branch, place.ownBranches),
    required: async (place) => readRequiredChecks(octokitOf(place), at(place), place.branch),
    workflows: async (place) => readWorkflowFiles(octokitOf(place), at(place), place.branch),
    pushed: async (place) =>
      readPushed(octokitOf(place), at(place), place.branch, place.ownBranches.testPrefix),
    heads: async (place) => readHeads(octokitOf(place), at(place), place.branch),
    testBranches: async (place) =>
      readTestBranches(octokitOf(place), at(place), place.ownBranches.testPrefix),
    obstacles: async (place) => {
      const { test, scratch } = place.ownBranches;
      const found = [test, scratch].map((name) => findObstacles(octokitOf(place), at(place), name));
      return [...new Set((await Promise.all(found)).flat())];
    },
    repositoryFile: async (place) => readRepositoryFile(octokitOf(place), at(place), place.branch),
  };
}

function at({ repo }: DoctorPlace): Repository {
  return { owner: repo.owner, repo: repo.name };
}
