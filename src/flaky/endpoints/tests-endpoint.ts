import * as z from "zod";
import { type Call, type Endpoint, repositoryEndpoint } from "../../api/endpoint.ts";
import { repository } from "../../api/schema/addresses.ts";
import { isSameName } from "../../engine/model/names.ts";
import { type Outcome, refused } from "../../service/runtime/outcome.ts";

/** The common fields of the endpoints that read tests: they identify the repository of the tests. */
export const testsAddress = z.strictObject({
  repo: repository.describe("The repository of the tests."),
  org_url_slug: z
    .string()
    .min(1)
    .max(100)
    .describe("The organisation that owns the repository: its login, in any case."),
});

type TestsBody = z.output<typeof testsAddress>;

/**
 * Creates an endpoint that reads the tests of a repository. A repository without uploads has no tests; an unknown one is not
 * found.
 */
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
    const isOwner = isSameName(body.org_url_slug, body.repo.owner);
    if (!isOwner) return refused({ code: "REPOSITORY_NOT_FOUND" });
    return (await call.testRepositories.check(body.repo)) ?? handle(body, call);
  });
}
