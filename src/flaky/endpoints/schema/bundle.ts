import * as z from "zod";
import { repository } from "../../../api/schema/addresses.ts";
import { ignoredField } from "../../../api/schema/fields.ts";

/** The fields that Trunk's uploader sends with each call. Source: trunk-io/analytics-cli, `api/src/message.rs`. */
export const uploaderFields = {
  repo: repository.describe("The repository whose tests ran."),
  orgUrlSlug: z.string().max(255).default("").describe("Ignored: the token determines the organisation."),
  remoteUrls: z.array(z.string().max(2_000)).max(100).default([]),
  testCollectionShortId: ignoredField("Trunk's uploader"),
};
