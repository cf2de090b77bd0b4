import * as z from "zod";
import type { Reaction } from "../../ports/code-host/pull-requests.ts";
import type { ContentWriter } from "../client/content-writer.ts";

const contents = { thumbs_up: "THUMBS_UP", confused: "CONFUSED" } as const;

/** https://docs.github.com/en/graphql/reference/mutations#addreaction */
export async function react(writer: ContentWriter, subjectId: string, reaction: Reaction): Promise<void> {
  await writer.write({
    name: "addReaction",
    input: { subjectId, content: contents[reaction] },
    selection: "clientMutationId",
    shape: z.object({}),
    creates: null,
  });
}
