import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";

import { ignoredField } from "../../api/schema/fields.ts";
import { bundlePath } from "./reports/bundle-route.ts";
import { uploaderFields } from "./schema/bundle.ts";

export const createBundleUpload = repositoryEndpoint(
  {
    path: "metrics/createBundleUpload",
    summary: "Gives Trunk's uploader an address to upload its bundle to.",
    scope: "tests:upload",
    kind: "command",
    body: z.strictObject({
      ...uploaderFields,
      clientVersion: z.string().max(100).default(""),
      externalId: ignoredField("Trunk's uploader"),
    }),
    answer: z.object({
      id: z.string(),
      idV2: z.string(),
      url: z
        .string()
        .describe(
          "The address to `PUT` the bundle to, a tar archive compressed with zstd, within an hour and without a token.",
        ),
      key: z.string(),
    }),
    withoutSecret: (answer) => ({ ...answer, url: "" }),
  },
  async ({ repo }, { bundles, origin }) =>
    presented(await bundles.open(repo), ({ id, secret }) => ({
      id,
      idV2: id,
      url: `${origin}/v1${bundlePath}/${id}?key=${secret}`,
      key: `${id}/bundle.tar.zstd`,
    })),
);
