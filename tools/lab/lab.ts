import type { Command } from "commander";
import { chaos } from "./chaos/chaos.ts";
import { crash } from "./crash/crash.ts";
import { endurance } from "./endurance/endurance.ts";
import { defineExperiment } from "./experiment.ts";
import { replicas } from "./replicas/replicas.ts";
import { storm } from "./storm/storm.ts";
import { trial } from "./trial/trial.ts";

/**
 * Adds the experiments of `trainyard lab`.
 *
 * @param defineDemo adds what `demo` does, which is an experiment, too
 */
export function defineLab(lab: Command, defineDemo: (command: Command) => void): void {
  lab
    .addHelpText(
      "after",
      `
Each experiment runs Trainyard on the local GitHub, lets things fail around it, and judges the outcome by the truth. It ends
with 1 when something is wrong. Others have scripts of their own: npm run simulate, simulate:service, simulate:flaky and soak
play Trainyard in virtual time; npm run live checks the local GitHub against a real one.`,
    )
    .argument("[experiment]")
    .action((name?: string) =>
      name === undefined ? lab.help() : lab.error(`error: there is no experiment '${name}'`),
    );
  defineDemo(lab.command("demo").description("the pull requests of a small team, with a dashboard to watch"));
  const add = (name: string, about: string) => lab.command(name).description(about);
  defineExperiment(add("trial", "pull requests of every kind through queues of every kind"), trial);
  defineExperiment(add("storm", "the demo while GitHub, its webhooks and the service fail"), storm);
  defineExperiment(
    add("replicas", "the demo on several services and one PostgreSQL server, while both are killed"),
    replicas,
  );
  defineExperiment(
    add("crash", "short scenarios, while the service is killed before and after every durable effect"),
    crash,
  );
  defineExperiment(add("chaos", "the storm while the database and the clocks fail, too"), chaos);
  defineExperiment(
    add("endurance", "thousands of pull requests; measures what the service keeps"),
    endurance,
  );
}
