import {
  exportedQuarantine,
  exportQuarantines,
  importQuarantines,
  linkTicketToTestCase,
  setQuarantine,
} from "./quarantines.ts";
import { getTestSettings, updateTestSettings } from "./settings.ts";
import { foundTest, quarantinedTest, testDetails } from "./test-answers.ts";
import { getTestDetails, listFailingTests, listQuarantinedTests, listUnhealthyTests } from "./tests.ts";
import { judgedUpload } from "./upload-schema.ts";
import { createBundleUpload, getQuarantineConfig } from "./uploader.ts";
import { uploadTestResults } from "./uploads.ts";

export const testEndpoints = {
  uploadTestResults,
  createBundleUpload,
  getQuarantineConfig,
  setQuarantine,
  linkTicketToTestCase,
  exportQuarantines,
  importQuarantines,
  getTestSettings,
  updateTestSettings,
  listQuarantinedTests,
  listUnhealthyTests,
  listFailingTests,
  getTestDetails,
};

/** Schemas that the OpenAPI document names. */
export const testSchemas = {
  QuarantineSetting: exportedQuarantine,
  JudgedUpload: judgedUpload,
  QuarantinedTest: quarantinedTest,
  ListedTest: foundTest,
  TestDetails: testDetails,
};
