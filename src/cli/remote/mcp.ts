import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { createMcpServer } from "../../mcp/mcp-server.ts";
import { readVersion } from "../version.ts";
import { onOrganisation, type PlaceOptions, placeOf, UnknownPlace, withPlaceOptions } from "./service.ts";

/** Adds what `trainyard mcp` does: it serves the tools for a coding agent that starts this process. Standard output belongs to the protocol. */
export function defineMcp(command: Command): void {
  withPlaceOptions(command)
    .option("--allow-writes", "offer the tools that submit, cancel, restart and pause, too", false)
    .action((options: PlaceOptions & { readonly allowWrites: boolean }) =>
      onOrganisation(options, async ({ client }) => {
        const place = placeOrNull(options);
        const create = () =>
          createMcpServer({
            ...{ client, place, host: process.env.GHE_HOST || "github.com" },
            ...{ allowWrites: options.allowWrites, version: readVersion() },
          });
        if (process.stdin.isTTY)
          console.error("It waits for the messages of an agent on standard input. Ctrl-C ends it.");
        const served = serveStdio(create, { onerror: (error) => console.error(error.message) });
        // A file, such as /dev/null, ends without being closed.
        await new Promise((resolve) => process.stdin.once("end", resolve).once("close", resolve));
        await served.close();
        return "done";
      }),
    );
}

/** Null outside a checkout, where every call must name its queue. A repository that cannot be read is refused. */
function placeOrNull(options: PlaceOptions) {
  try {
    return placeOf(options);
  } catch (error) {
    if (error instanceof UnknownPlace && options.repo === undefined) return null;
    throw error;
  }
}
