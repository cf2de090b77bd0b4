import type { PullRequest } from "../world/pulls/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import { notFound } from "./refusal.ts";

/**
 * Returns the pull request with this number, which is also its issue number.
 * @throws a refusal if it does not exist
 */
export function pullOrRefuse(repository: Repository, number: number): PullRequest {
  const pull = repository.pulls.get(number);
  if (pull === undefined) throw notFound();
  return pull;
}
