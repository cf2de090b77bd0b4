import * as z from "zod";
import { repositoryEndpoint } from "../endpoint.ts";
import { presented } from "../presented.ts";
import { uploaderFields } from "../schema/bundle.ts";

/** As many cases as a report may have. */
const mostTests = 500_000;
const optionalText = z.string().max(20_000).nullish();

export const getQuarantineConfig = repositoryEndpoint(
  {
    path: "metrics/getQuarantineConfig",
    summary: "Tells Trunk's uploader which of some tests are quarantined.",
    scope: "tests:upload",
    kind: "question",
    body: z.object({
      ...uploaderFields,
      testIdentifiers: z
        .array(
          z.object({
            id: z.string().max(100),
            name: z.string().max(20_000),
            parentName: optionalText,
            className: optionalText,
            file: optionalText,
            variant: optionalText,
          }),
        )
        .max(mostTests)
        .default([])
        .describe("Tests that failed, as the uploader names them."),
    }),
    answer: z.object({
      isDisabled: z.boolean().describe("Nothing is quarantined in this repository."),
      testIds: z.array(z.string()).describe("Those of the given ids whose tests are quarantined."),
    }),
  },
  async ({ repo, testIdentifiers }, { bundles }) => {
    const tests = testIdentifiers.map(({ id, name, parentName, className, file, variant }) => ({
      ...{ id, name },
      parent: parentName ?? null,
      classname: className ?? null,
      file: file ?? null,
      variant: variant ?? "",
    }));
    return presented(await bundles.quarantined(repo, tests), ({ isOff, ids }) => ({
      isDisabled: isOff,
      testIds: [...ids],
    }));
  },
);
