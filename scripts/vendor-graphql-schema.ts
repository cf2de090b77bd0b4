/**
 * Vendors the part of GitHub's published GraphQL schema that the sandbox serves.
 *
 *     node scripts/vendor-graphql-schema.ts
 *
 * Downloads an npm package into a temporary directory, keeps the fields below and the types that they need, and writes
 * `tools/sandbox/graphql/generated/schema.subset.graphql`. The package is not a dependency: unpacked it takes 8 MB.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DefinitionNode, Kind, parse, print, type TypeNode } from "graphql";

const source = "@octokit/graphql-schema@15.26.1";

const kept: Record<string, readonly string[]> = {
  Query: ["repository"],
  Repository: [
    "id",
    "mergeCommitMessage",
    "mergeCommitTitle",
    "object",
    "pullRequest",
    "pullRequests",
    "ref",
  ],
  PullRequestConnection: ["nodes"],
  GitObject: ["oid"],
  Blob: ["oid"],
  Tree: ["oid", "entries"],
  TreeEntry: ["name", "oid", "type"],
  PullRequest: [
    ...["id", "number", "state", "isDraft", "isCrossRepository", "title", "body", "author", "url"],
    ...["headRefOid", "headRefName", "baseRefName", "mergeable", "mergeStateStatus", "mergeCommit"],
    ...[
      "autoMergeRequest",
      "baseRef",
      "headRef",
      "latestOpinionatedReviews",
      "reviewDecision",
      "reviewThreads",
      "updatedAt",
    ],
  ],
  AutoMergeRequest: ["enabledAt"],
  PullRequestReviewConnection: ["nodes"],
  PullRequestReview: ["author", "state"],
  PullRequestReviewThreadConnection: ["nodes", "pageInfo"],
  PullRequestReviewThread: ["id", "isResolved"],
  PageInfo: ["endCursor", "hasNextPage"],
  Ref: ["id", "refUpdateRule", "rules"],
  RefUpdateRule: ["requiresConversationResolution", "requiresLinearHistory", "requiresSignatures"],
  RepositoryRuleConnection: ["nodes", "pageInfo"],
  RepositoryRule: ["parameters"],
  PullRequestParameters: ["requiredReviewThreadResolution"],
  Actor: ["login"],
  Bot: ["login"],
  User: ["login"],
  Commit: ["oid", "tree"],
  IssueComment: ["id"],
  IssueCommentEdge: ["node"],
  CheckRun: ["id"],
  Mutation: [
    ...["addComment", "updateIssueComment", "minimizeComment", "addReaction"],
    ...["createCheckRun", "updateCheckRun"],
    ...["resolveReviewThread", "unresolveReviewThread", "updateRefs"],
    ...["disablePullRequestAutoMerge", "enablePullRequestAutoMerge"],
  ],
  AddCommentPayload: ["commentEdge"],
  UpdateIssueCommentPayload: ["issueComment"],
  MinimizeCommentPayload: ["clientMutationId"],
  DisablePullRequestAutoMergePayload: ["clientMutationId"],
  EnablePullRequestAutoMergePayload: ["clientMutationId"],
  AddReactionPayload: ["clientMutationId"],
  CreateCheckRunPayload: ["checkRun"],
  UpdateCheckRunPayload: ["checkRun"],
  ResolveReviewThreadPayload: ["clientMutationId"],
  UnresolveReviewThreadPayload: ["clientMutationId"],
  UpdateRefsPayload: ["clientMutationId"],
};

function readDefinitions(): readonly DefinitionNode[] {
  const directory = mkdtempSync(join(tmpdir(), "vendor-graphql-schema-"));
  try {
    const run = (command: string, ...args: string[]) =>
      execFileSync(command, args, { cwd: directory, encoding: "utf8" });
    run("tar", "-xzf", run("npm", "pack", "--silent", source).trim(), "package/schema.graphql");
    return parse(readFileSync(join(directory, "package/schema.graphql"), "utf8")).definitions;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

function prune(definitions: readonly DefinitionNode[]): string {
  const others = new Map<string, DefinitionNode>();
  const take = (name: string): void => {
    const found = definitions.find(
      (one) =>
        (one.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION ||
          one.kind === Kind.ENUM_TYPE_DEFINITION ||
          one.kind === Kind.SCALAR_TYPE_DEFINITION) &&
        one.name.value === name,
    );
    if (found === undefined || others.has(name)) return;
    others.set(name, found);
    if (found.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION)
      for (const field of found.fields ?? []) take(nameOf(field.type));
  };
  const objects = definitions.flatMap((one) => {
    if (one.kind !== Kind.OBJECT_TYPE_DEFINITION && one.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
    const names = kept[one.name.value];
    if (names === undefined) return [];
    const fields = one.fields?.filter(({ name }) => names.includes(name.value)) ?? [];
    for (const { type, arguments: taken = [] } of fields)
      for (const { type: of } of [{ type }, ...taken]) take(nameOf(of));
    const interfaces = one.interfaces?.filter(({ name }) => name.value in kept) ?? [];
    return [{ ...one, interfaces, directives: [], fields }];
  });
  const unions = definitions.flatMap((one) => {
    if (one.kind !== Kind.UNION_TYPE_DEFINITION) return [];
    const types = one.types?.filter(({ name }) => name.value in kept) ?? [];
    const isUsed = objects.some(({ fields }) => fields.some(({ type }) => nameOf(type) === one.name.value));
    return isUsed ? [{ ...one, types }] : [];
  });
  return [...objects, ...unions, ...others.values()].map((one) => print(one)).join("\n\n");
}

const target = join(
  dirname(fileURLToPath(import.meta.url)),
  "../tools/sandbox/graphql/generated/schema.subset.graphql",
);
const header = `# From ${source} (MIT), written by scripts/vendor-graphql-schema.ts.`;
writeFileSync(target, `${header}\n\n${prune(readDefinitions())}\n`);
