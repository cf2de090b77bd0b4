type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment for programs that a step starts. They may be the pull request's own code: they get neither the step's inputs, which
 * hold its tokens, nor the runner's tokens, which it gives to Actions but not to `run:` steps.
 */
export function childEnvironment(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(INPUT_|ACTIONS_)/i.test(name)));
}
