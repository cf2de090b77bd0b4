const WORDS = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/i;
const TRAILER = /\n\n+(?:[^\n]+\n)*skip-checks: ?true\s*$/i;

/**
 * Whether a head commit's message prevents workflow runs.
 * https://docs.github.com/en/actions/managing-workflow-runs-and-deployments/managing-workflow-runs/skipping-workflow-runs
 */
export const skipsCi = (message: string): boolean => WORDS.test(message) || TRAILER.test(message);
