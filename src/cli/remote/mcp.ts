import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Command } from "commander";
import { createMcpServer } from "../../mcp/mcp-server.ts";
import { readVersion } from "../version.ts";
import { connect, type PlaceOptions, placeOf, UnknownPlace, withPlaceOptions } from "./service.ts";

/** Adds what `trainyard mcp` does: it serves the tools for a coding agent that starts this process. Standard output belongs to the protocol. */
export function defineMcp(command: Command): void {
  withPlaceOptions(command)
    .option("--allow-writes", "offer the tools that submit, cancel, restart and pause, too", false)
    .action(async (options: PlaceOptions & { readonly allowWrites: boolean }) => {
      const create = () =>
        createMcpServer({
          client: connect(options),
          place: placeOrNull(options),
          host: process.env.GHE_HOST || "github.com",
          allowWrites: options.allowWrites,
          version: readVersion(),
        });
      const served = serveStdio(create, { onerror: (error) => console.error(error.message) });
      await once(process.stdin, "close");
      await served.close();
    });
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
