/**
 * The environment for git. It ignores the configuration of the user, who may have hooks, signatures and rewritten addresses, and the
 * repository of a hook or command of git that runs this process.
 */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return {
    ...Object.fromEntries(others),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
  };
}
