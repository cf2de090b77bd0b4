import * as z from "zod";
import { presented, repositoryEndpoint } from "../../api/endpoint.ts";
import { repository } from "../../api/schema/addresses.ts";
import { ignoredField } from "../../api/schema/fields.ts";
import type { TestIdentifier } from "../service/uploads/bundles.ts";
import { bundlePath } from "./bundle-route.ts";

/** The fields that Trunk's uploader sends with each call. Source: trunk-io/analytics-cli, `api/src/message.rs`. */
export const uploaderFields = {
  repo: repository.describe("The repository whose tests ran."),
  orgUrlSlug: z.string().max(255).default("").describe("Ignored: the token determines the organisation."),
  remoteUrls: z.array(z.string().max(2_000)).max(100).default([]),
  testCollectionShortId: ignoredField("Trunk's uploader"),
};

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

/** The maximum number of cases in a report. */
const mostTests = 200_000;
const optionalText = z.string().max(20_000).nullish();
/** Source of the ignored fields: trunk-io/analytics-cli, `bundle/src/types.rs`. */
const testIdentifier = z.strictObject({
  id: z.string().max(100),
  name: z.string().max(20_000),
  parentName: optionalText,
  className: optionalText,
  file: optionalText,
  variant: optionalText,
  timestamp_millis: ignoredField("Trunk's uploader"),
  is_quarantined: ignoredField("Trunk's uploader"),
  failure_message: ignoredField("Trunk's uploader"),
});
type SentIdentifier = z.infer<typeof testIdentifier>;

export const getQuarantineConfig = repositoryEndpoint(
  {
    path: "metrics/getQuarantineConfig",
    summary: "Tells Trunk's uploader which of some tests are quarantined.",
    scope: "tests:upload",
    kind: "question",
    body: z.strictObject({
      ...uploaderFields,
      testIdentifiers: z
        .array(testIdentifier)
        .max(mostTests)
        .default([])
        .describe("The ids that the uploader gives to the tests that failed."),
    }),
    answer: z.object({
      isDisabled: z.boolean().describe("Whether quarantining is switched off in this repository."),
      testIds: z.array(z.string()).describe("The given ids whose tests are quarantined."),
    }),
  },
  async ({ repo, testIdentifiers }, { bundles }) => {
    return presented(await bundles.quarantined(repo, namesOf(testIdentifiers)), ({ isOff, ids }) => ({
      isDisabled: isOff,
      testIds: [...ids],
    }));
  },
);

/** Yields the names one at a time: building all of them at once would block other requests. */
function* namesOf(sent: Iterable<SentIdentifier>): Generator<TestIdentifier> {
  for (const { id, name, parentName, className, file, variant } of sent) {
    const around = { parent: parentName ?? null, classname: className ?? null, file: file ?? null };
    yield { id, name, ...around, variant: variant ?? "" };
  }
}
