import { findPortProblem } from "./find-port-problem.ts";
import { findGitProblem } from "./git/find-git-problem.ts";
import { options, parseArguments, serveSandbox, usage } from "./serve-sandbox.ts";

type RenderOptionProblem = (error: unknown, command: string, known: readonly string[]) => string;

/** `trainyard sandbox`: serves the local GitHub alone until it is stopped. Returns the exit code. */
export async function sandbox(
  argv: readonly string[],
  stop: AbortSignal,
  renderOptionProblem: RenderOptionProblem,
): Promise<number> {
  if (argv.includes("--help")) {
    console.log(usage);
    return 0;
  }
  let parsed: ReturnType<typeof parseArguments>;
  try {
    parsed = parseArguments(argv);
  } catch (error) {
    return refuse(renderOptionProblem(error, "sandbox", Object.keys(options)));
  }
  const { port = 0 } = parsed.options;
  const problem = (await findGitProblem()) ?? (port === 0 ? null : await findPortProblem(port));
  if (problem !== null) return refuse(problem);
  await serveSandbox(parsed, { out: process.stdout, err: process.stderr }, stop);
  return 0;
}

function refuse(problem: string): number {
  console.error(problem);
  return 2;
}
