import type { Command } from "commander";
import { runInOwnGroup } from "./own-group.ts";
import { callThisMachineDirectly, useProxies } from "./proxies.ts";
import { listenForStop } from "./signals.ts";

/** A command that is loaded when it is called. */
export interface ListedCommand {
  readonly about: string;
  /** Whether the help lists it. */
  readonly isHidden?: boolean;
  /** Loads what adds its options, arguments, subcommands and action. */
  readonly load: () => Promise<(command: Command) => void>;
}

/** Tools call the services that they start on this machine directly, without a proxy. */
function tool(about: string, load: ListedCommand["load"], isHidden = false): ListedCommand {
  return {
    about,
    isHidden,
    async load() {
      const define = await load();
      return (command) => define(command.hook("preAction", () => callThisMachineDirectly()));
    },
  };
}

const loadDemo = async () => {
  const { defineDemo } = await import("../../tools/lab/demo/demo.ts");
  const farewell = "Stopped during the setup. No pull request has merged.";
  return (command: Command) => defineDemo(command, (run) => runInOwnGroup({ farewell, run }));
};

/**
 * The commands of `tools/`: the local GitHub, and simulations and trials of the service and the engine. Nothing else in
 * `src/` imports `tools/`.
 */
export const tools: Readonly<Record<string, ListedCommand>> = {
  demo: tool("run Trainyard on a local GitHub, without an account", loadDemo),
  sandbox: tool("serve only the local GitHub", async () => {
    const { defineSandbox } = await import("../../tools/sandbox/serve-sandbox.ts");
    const farewell = "The local GitHub has ended.";
    return (command) => defineSandbox(command, (run) => runInOwnGroup({ farewell, run }));
  }),
  simulate: tool(
    "run a workload through the engine in virtual time, and measure it",
    async () => (await import("../../tools/simulator/simulate.ts")).defineSimulate,
  ),
  lab: tool(
    "let things fail around Trainyard on the local GitHub, and judge the outcome by the truth",
    async () => {
      const { defineLab } = await import("../../tools/lab/lab.ts");
      const defineDemo = await loadDemo();
      return (command) => defineLab(command, defineDemo);
    },
    true,
  ),
  live: tool(
    "check the claims of the local GitHub against a real one",
    async () => {
      const { defineLive } = await import("../../tools/live/live.ts");
      const print = (_fields: object, text: string) => console.error(text);
      return (command) =>
        defineLive(command, () =>
          useProxies({ info() {}, warn: print, error: print }) ? listenForStop() : null,
        );
    },
    true,
  ),
  "simulate-service": tool(
    "play lives of the service in virtual time",
    async () => (await import("../../tools/simulator/service/simulate-service.ts")).defineSimulateService,
    true,
  ),
  "simulate-flaky": tool(
    "run flake detection on generated histories with known truth",
    async () => (await import("../../tools/simulator/flaky/simulate-flaky.ts")).defineSimulateFlaky,
    true,
  ),
  soak: tool(
    "run random scenarios through the engine, and check the invariants",
    async () => (await import("../../tools/simulator/soak/soak.ts")).defineSoak,
    true,
  ),
};
