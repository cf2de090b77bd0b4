import { renderOptionProblem } from "../command/option-problem.ts";
import { runInOwnGroup } from "./own-group.ts";
import { callThisMachineDirectly, useProxies } from "./proxies.ts";
import { listenForStop } from "./signals.ts";

type Command = (args: readonly string[]) => Promise<number>;

const demo: Command = (args) =>
  runInOwnGroup({
    farewell: "Stopped during the setup. No pull request has merged.",
    run: async (stop, needTime) => (await import("../../tools/lab/demo/demo.ts")).demo(args, stop, needTime),
  });

/**
 * The commands of `tools/`: the local GitHub, and simulations and trials of the service and the engine. Nothing else in `src/` imports
 * `tools/`. Each is loaded only when it is called, so that the service does not pay for it.
 */
const tools: Readonly<Record<string, Command>> = {
  demo,
  lab: async ([name, ...args]) =>
    name === "demo" ? demo(args) : (await import("../../tools/lab/lab.ts")).lab(name, args),
  sandbox: (args) =>
    runInOwnGroup({
      farewell: "The local GitHub has ended.",
      run: async (stop) =>
        (await import("../../tools/sandbox/serve-sandbox.ts")).sandbox(args, stop, renderOptionProblem),
    }),
  live: async (args) => {
    const stop = listenForStop();
    const print = (_fields: object, text: string) => console.error(text);
    if (!useProxies({ info() {}, warn: print, error: print })) return 2;
    return (await import("../../tools/live/live.ts")).live(args, stop);
  },
  simulate: async (args) => (await import("../../tools/simulator/simulate.ts")).simulate(args),
  "simulate-service": async (args) =>
    (await import("../../tools/simulator/service/simulate-service.ts")).simulateService(args),
  "simulate-flaky": async (args) =>
    (await import("../../tools/simulator/flaky/simulate-flaky.ts")).simulateFlaky(args),
  soak: async (args) => (await import("../../tools/simulator/soak/soak.ts")).soak(args),
};

/** The command of `tools/` with this name; undefined if there is none. All of them call only what they start on this machine. */
export function findTool(name: string): Command | undefined {
  const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
  return (
    tool &&
    ((args) => {
      callThisMachineDirectly();
      return tool(args);
    })
  );
}
