import { type AnswerOf, type ClientOptions, createClient, type TrainyardClient } from "../client/client.ts";
import { StepError } from "./step.ts";

/** The fields that the Action reads of each response. A server other than Trainyard may also answer 200 with JSON. */
const fields = {
  submitPullRequest: ["state", "why"],
  cancelPullRequest: ["state", "why"],
  restartTestsOnPullRequest: ["state", "why"],
  getSubmittedPullRequest: ["state", "why"],
  setImpactedTargets: ["targetsCount", "prSha"],
  proveCommit: ["proved", "reason"],
  getMergeQueueTestingDetails: ["testedPullRequests", "dependentPrs", "isBisection"],
  uploadTestResults: ["verdict", "tests", "reports", "failed", "quarantined"],
} as const;

type Used = keyof typeof fields;

/** The endpoints that the Action uses. Each throws a {@link StepError} if the response is not Trainyard's. */
export type ActionClient = Pick<TrainyardClient, Used>;

export function createCheckedClient(options: ClientOptions): ActionClient {
  const client = createClient(options);
  const checked = <Name extends Used>(name: Name): ActionClient[Name] => {
    const ask = client[name] as (request: never) => Promise<AnswerOf<Name>>;
    return (async (request: never) => checkAnswer(name, await ask(request))) as ActionClient[Name];
  };
  return {
    submitPullRequest: checked("submitPullRequest"),
    cancelPullRequest: checked("cancelPullRequest"),
    restartTestsOnPullRequest: checked("restartTestsOnPullRequest"),
    getSubmittedPullRequest: checked("getSubmittedPullRequest"),
    setImpactedTargets: checked("setImpactedTargets"),
    proveCommit: checked("proveCommit"),
    getMergeQueueTestingDetails: checked("getMergeQueueTestingDetails"),
    uploadTestResults: checked("uploadTestResults"),
  };
}

/** @throws StepError */
export function checkAnswer<Name extends Used>(name: Name, answer: AnswerOf<Name>): AnswerOf<Name> {
  const missing = fields[name].find((field) => Object(answer)[field] === undefined);
  if (missing === undefined) return answer;
  throw new StepError(
    "This is not Trainyard",
    `The answer to ${name} has no field \`${missing}\`. Check the input api-url.`,
  );
}
