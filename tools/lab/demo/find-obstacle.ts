import { findPortProblem } from "../../sandbox/find-port-problem.ts";
import { findGitProblem } from "../../sandbox/git/find-git-problem.ts";

/**
 * Looks for what would break the demo later. Returns one line that says what to do, or null.
 *
 * @param port where the service shall listen; null = where there is room
 */
export async function findObstacle(port: number | null): Promise<string | null> {
  return (await findGitProblem()) ?? (port === null ? null : findPortProblem(port));
}
