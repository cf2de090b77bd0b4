import type { PullRequest } from "../world/pull-request.ts";
import type { Repository } from "../world/repository.ts";
import { notFound } from "./refusal.ts";

/** The pull request of that number, which is also the issue of that number; a refusal if there is none. */
export function pullOrRefuse(repository: Repository, number: number): PullRequest {
  const pull = repository.pulls.get(number);
  if (pull === undefined) throw notFound();
  return pull;
}
