import type { DoctorFacts, DoctorPlace, FactName } from "../../ports/code-host/doctor-facts.ts";
import { readRequiredChecks } from "../access/protection.ts";
import { readReach } from "../access/reach.ts";
import { readRepositoryFile } from "../access/repository-files.ts";
import type { AppClient } from "../client/app-client.ts";
import { CodeHostError } from "../client/code-host-error.ts";
import type { RepositoryApi } from "../client/repository-api.ts";
import { findObstacles } from "../test-commits/branches.ts";
import { readApp, readDeliveries, readHook, readServer } from "./read-app-facts.ts";
import { readHeads, readPushed } from "./read-reports.ts";
import {
  readBudget,
  readProtection,
  readRepository,
  readTestBranches,
  readWorkflowFiles,
} from "./read-repository-facts.ts";
import { readRules } from "./read-rules.ts";

type Readers = { readonly [Name in FactName]: (place: DoctorPlace) => Promise<DoctorFacts[Name]> };

/** The function that reads each fact. */
export function factReaders(client: AppClient): Readers {
  const { app } = client;
  const apiOf = ({ repo, installationId }: DoctorPlace): RepositoryApi => {
    if (installationId === null)
      throw new CodeHostError("not_found", "the GitHub App is not installed there");
    return client.repository({ ...repo, installationId });
  };
  return {
    app: () => readApp(app),
    server: () => readServer(app),
    hook: () => readHook(app),
    deliveries: () => readDeliveries(app),
    budget: async (place) => readBudget(apiOf(place)),
    reach: async ({ repo, branch, installationId }) =>
      installationId === null
        ? { kind: "not_installed" }
        : readReach(client, { repo, branch, installationId, repositoryId: null }),
    repository: async (place) => readRepository(apiOf(place)),
    protection: async (place) => readProtection(apiOf(place), place.branch),
    rules: async (place) => readRules(apiOf(place), place.branch, place.ownBranches),
    required: async (place) => readRequiredChecks(apiOf(place), place.branch),
    workflows: async (place) => readWorkflowFiles(apiOf(place), place.branch),
    pushed: async (place) => readPushed(apiOf(place), place.branch, place.ownBranches.testPrefix),
    heads: async (place) => readHeads(apiOf(place), place.branch),
    testBranches: async (place) => readTestBranches(apiOf(place), place.ownBranches.testPrefix),
    obstacles: async (place) => {
      const { test, scratch } = place.ownBranches;
      const found = [test, scratch].map((name) => findObstacles(apiOf(place), name));
      return [...new Set((await Promise.all(found)).flat())];
    },
    repositoryFile: async (place) => readRepositoryFile(apiOf(place), place.branch),
  };
}
