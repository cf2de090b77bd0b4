import { includes } from "./filter-pattern.ts";
import type { Trigger } from "./workflow.ts";

/**
 * Whether a trigger fires. With a filter of paths and no changed file, it does not. `pathsIgnore` prevents it when it includes
 * every file.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#onpushpull_requestpull_request_targetpathspaths-ignore
 *
 * @param changedFiles is called only if the trigger filters paths.
 */
export async function fires(
  { branches, branchesIgnore, paths, pathsIgnore }: Trigger,
  branch: string,
  changedFiles: () => Promise<readonly string[]>,
): Promise<boolean> {
  if (branches && !includes(branches, branch)) return false;
  if (branchesIgnore && includes(branchesIgnore, branch)) return false;
  if (!paths && !pathsIgnore) return true;
  const files = await changedFiles();
  if (paths && !files.some((file) => includes(paths, file))) return false;
  return !pathsIgnore || files.some((file) => !includes(pathsIgnore, file));
}
