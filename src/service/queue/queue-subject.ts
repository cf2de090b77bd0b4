/** The subject of commands about a queue in the log of last commands. It follows the queue to a new name of its branch. */
export function queueSubject(branch: string): string {
  return `queue/${branch}`;
}
