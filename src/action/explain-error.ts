import { ApiError, NetworkError } from "../client/client.ts";
import { asClause } from "../engine/reasons/sentence.ts";
import { GitHubRefusal, GitHubUnreachable } from "./github/github-api.ts";
import { StepError } from "./step.ts";
import type { Subject } from "./subject.ts";

interface Circumstances {
  readonly subject: Subject;
  readonly actor: string;
}

/** Turns any thrown value into an error that the author of a workflow can act on. */
export function explainError(error: unknown, circumstances: Circumstances | null): StepError {
  if (error instanceof StepError) return error;
  if (error instanceof GitHubRefusal) return explainGitHub(error);
  if (error instanceof GitHubUnreachable) {
    return new StepError("GitHub does not answer", `${error.message} Run the job again later.`, {
      cause: error,
    });
  }
  if (error instanceof ApiError) return explainRefusal(error, circumstances);
  if (error instanceof NetworkError) {
    return new StepError(
      "No answer",
      `${error.message} Check the input api-url, and that this runner reaches that address; behind a proxy set HTTPS_PROXY in the step's env.`,
      { cause: error },
    );
  }
  const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  return new StepError(
    "Unexpected error",
    `${asClause(message)}. This is a fault of the Action; please report it with these lines:\n${stack}`,
    { cause: error },
  );
}

function explainRefusal(error: ApiError, circumstances: Circumstances | null): StepError {
  const faults = error.errors.map(({ path, message }) => `${path || "the body"} ${message}`).join("; ");
  const detail = faults === "" ? error.detail : `${error.detail} (${faults})`;
  return new StepError(titleOf(error), [detail, advice(error, circumstances)].join(" ").trim(), {
    cause: error,
  });
}

function explainGitHub(error: GitHubRefusal): StepError {
  const what = [401, 403, 404].includes(error.status)
    ? "Give the job the permissions that this command needs: `checks: write` for status, `pull-requests: read` if the event is not about a pull request."
    : "Run the job again later.";
  return new StepError("GitHub refused", `${error.detail} ${what}`, { cause: error });
}

function titleOf({ status, code }: ApiError): string {
  if (code === "WORKFLOW_TOKEN_NOT_VALID") return "The job's own token was not accepted";
  if (status === 401) return "The API token was not accepted";
  if (status === 403) return "The request is not permitted";
  if (status === 429) return "Too many requests";
  if (code === null) return "This is not Trainyard";
  return status >= 500 ? "The service failed" : "The service refused";
}

function advice({ status, code }: ApiError, circumstances: Circumstances | null): string {
  if (code === "WORKFLOW_TOKEN_NOT_VALID")
    return "Set the input api-audience to the service's TRAINYARD_OIDC_AUDIENCE, else to its TRAINYARD_PUBLIC_URL; or use an API token.";
  const { repo, targetBranch } = circumstances?.subject.queue ?? {};
  if (status === 401) {
    const where = circumstances?.actor === "dependabot[bot]" ? "a Dependabot secret" : "a secret";
    return `Set the input api-token from ${where} that contains a token created with \`trainyard token create --organisation ${repo?.owner ?? "OWNER"} --scopes read,submit\`.`;
  }
  if (status === 403)
    return "Create a token with that scope, and store it in the secret that api-token uses.";
  if (code === "QUEUE_NOT_FOUND") {
    return `This step asked for the queue of ${targetBranch} in ${repo?.owner}/${repo?.name}; if you mean another queue, set the input target-branch.`;
  }
  if (code === null) return "Check the input api-url.";
  if (status >= 500 || status === 429) return "Several attempts failed; run the job again later.";
  return "";
}
