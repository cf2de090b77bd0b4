import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Command } from "commander";
import { createMcpServer } from "../../mcp/mcp-server.ts";
import { readVersion } from "../version.ts";
import { connect, type PlaceOptions, placeOf, UnknownPlace, withPlaceOptions } from "./service.ts";

/** `trainyard mcp`: the tools for a coding agent that starts this process. Standard output belongs to the protocol. */
export function mcpCommand(): Command {
  return withPlaceOptions(new Command("mcp"))
    .description("serve tools for coding agents (Model Context Protocol) on standard input and output")
    .option("--allow-writes", "offer the tools that submit, cancel, restart and pause, too", false)
    .allowExcessArguments(false)
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

/** Outside a checkout, every call names its queue. A repository that cannot be read is refused. */
function placeOrNull(options: PlaceOptions) {
  try {
    return placeOf(options);
  } catch (error) {
    if (error instanceof UnknownPlace && options.repo === undefined) return null;
    throw error;
  }
}
