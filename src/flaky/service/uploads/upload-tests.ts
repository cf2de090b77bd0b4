import type { CaseName, KnownTests } from "../../report/collect-runs.ts";
import { NewPasses } from "../../report/new-passes.ts";
import { PassedTests } from "../../report/passed-tests.ts";
import type { TestNumbers, TestRepository } from "../../store/uploads/test-result-rows.ts";
import { identityScopeOf } from "./identity-scope.ts";
import type { TestIds } from "./test-ids.ts";

/** The objects that the reports of one upload are read into. */
export interface UploadTests extends KnownTests {
  readonly newPasses: NewPasses;
  readonly idOf: (test: CaseName) => string;
  /** Combines the variant of the job and that of the report. */
  readonly variantOf: (test: Pick<CaseName, "variant">) => string;
}

/** @param variant the variant of the job. */
export function uploadTests(
  ids: TestIds,
  repository: TestRepository,
  variant: string,
  seen: TestNumbers,
): UploadTests {
  const known = ids.of(identityScopeOf(repository));
  const variantOf = (test: Pick<CaseName, "variant">) => variantWithin(variant, test.variant);
  const keyOf = (test: CaseName) => known.keyOf(test, variantOf(test));
  return {
    keyOf,
    idOf: (test) => keyOf(test).id,
    placesOf: (test) => known.placesOf(test, variantOf(test)),
    numberOf: (id) => seen.get(id),
    variantOf,
    passed: new PassedTests(),
    newPasses: new NewPasses(keyOf),
  };
}

function variantWithin(job: string, report: string): string {
  if (report === "") return job;
  return job === "" ? report : `${job}/${report}`;
}
