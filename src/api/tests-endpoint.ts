import * as z from "zod";
import { type Outcome, refused } from "../service/outcome.ts";
import { type Call, type Endpoint, repositoryEndpoint } from "./endpoint.ts";
import { repository } from "./schema/repository.ts";

/** The common fields of the endpoints that read tests: they name the repository whose tests these are. */
export const testsAddress = z.object({
  repo: repository.describe("The repository of the tests."),
  org_url_slug: z
    .string()
    .min(1)
    .max(100)
    .describe("The organisation that owns the repository: its login, in any case."),
});

type TestsBody = z.output<typeof testsAddress>;

/** Makes an endpoint that reads tests of a repository. One that nothing was uploaded for has none; one that there is not is missing. */
export function testsEndpoint<Body extends z.ZodType<TestsBody>, Answer extends z.ZodType>(
  description: {
    readonly path: string;
    readonly summary: string;
    readonly body: Body;
    readonly answer: Answer;
  },
  handle: (body: z.output<Body>, call: Call) => Promise<Outcome<z.output<Answer>>>,
): Endpoint<Body, Answer> {
  return repositoryEndpoint({ ...description, scope: "read", kind: "question" }, async (body, call) => {
    const isOwner = body.org_url_slug.toLowerCase() === body.repo.owner.toLowerCase();
    if (!isOwner) return refused({ code: "REPOSITORY_NOT_FOUND" });
    return (await call.testRepositories.check(body.repo)) ?? handle(body, call);
  });
}
