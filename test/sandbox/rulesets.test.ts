import { expect, test } from "@jest/globals";
import { matchesRefName, type RulesetOptions } from "../../tools/sandbox/world/rules/ruleset.ts";
import { manifestWith } from "../app-manifest.ts";
import { commitOn, openPull, passStatus, tipOf } from "./commit-on-branch.ts";
import { cloneRepository, withCredentials } from "./git-client.ts";
import { client, inSandbox, refusal, type Scene, target } from "./scene.ts";

const cloneAs = ({ repository }: Scene, login: string, token: string) =>
  cloneRepository(withCredentials(repository.gitUrl, login, token));

const name = "acme/widgets";
const restful = (...reasons: string[]) =>
  `Repository rule violations found\n\n${reasons.map((reason) => `${reason}\n\n`).join("")}`;

const moveMain = (octokit: Scene["asAlice"], sha: string, force = false) =>
  octokit.rest.git.updateRef({ ...target, ref: "heads/main", sha, force });

const createRef = (octokit: Scene["asAlice"], branch: string, sha: string) =>
  octokit.rest.git.createRef({ ...target, ref: `refs/heads/${branch}`, sha });

const press = (octokit: Scene["asAlice"], pull_number: number, method?: "merge" | "squash" | "rebase") =>
  octokit.rest.pulls.merge({ ...target, pull_number, ...(method ? { merge_method: method } : {}) });

async function moveByGraphql(octokit: Scene["asAlice"], sha: string): Promise<string> {
  const { data } = await octokit.rest.repos.get(target);
  const input = { repositoryId: data.node_id, refUpdates: [{ name: "refs/heads/main", afterOid: sha }] };
  const mutation = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;
  try {
    await octokit.graphql(mutation, { input });
    return "moved";
  } catch (error) {
    return (error as { errors: { message: string }[] }).errors[0]?.message ?? "";
  }
}

const withRules = (
  rules: RulesetOptions["rules"],
  act: (scene: Scene) => Promise<void>,
  further: Partial<RulesetOptions> = {},
) => inSandbox(act, {}, { rulesets: [{ rules, ...further }], ci: null });

test("a rule applies to every way of moving a branch, each with its own message", () =>
  withRules(["update"], async (scene) => {
    const { asAlice, repository } = scene;
    const main = await tipOf(asAlice, "main");
    const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
    const text = restful("Cannot update this protected ref.");
    expect(await refusal(moveMain(asAlice, sha))).toEqual({ status: 422, message: text });
    expect(await moveByGraphql(asAlice, sha)).toBe(text);
    const branchMerge = asAlice.rest.repos.merge({ ...target, base: "main", head: sha });
    expect(await refusal(branchMerge)).toEqual({ status: 409, message: text });
    expect(await refusal(press(asAlice, number))).toEqual({ status: 405, message: text });
    const clone = await cloneAs(scene, "alice", scene.alice.token);
    await clone.commit({ b: "1" }, "Add b");
    const said = await clone.failure("push", "origin", "HEAD:main");
    expect(said).toMatch(/remote: error: GH013: Repository rule violations found for refs\/heads\/main\./);
    expect(said).toContain(`Review all repository rules at`);
    expect(said).toContain(`/${repository.fullName}/rules?ref=refs%2Fheads%2Fmain`);
    expect(said).toMatch(/remote: - Cannot update this protected ref\./);
    expect(said).toMatch(/HEAD -> main \(push declined due to repository rule violations\)/);
    expect(await tipOf(asAlice, "main")).toBe(main);
    await clone.remove();
  }));

test("a ruleset applies to the refs that it includes, while it is active", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const sha = await tipOf(asAlice, "main");
      const restricted = "Cannot create ref due to creations being restricted.";
      const all: RulesetOptions = {
        include: ["~ALL"],
        exclude: ["refs/heads/free/**/*"],
        rules: ["creation"],
      };
      sandbox.setRulesets("acme", [all]);
      expect(await refusal(createRef(asAlice, "topic", sha))).toEqual({
        status: 422,
        message: restful(restricted),
      });
      expect((await createRef(asAlice, "free/of/rules", sha)).status).toBe(201);
      for (const enforcement of ["evaluate", "disabled"] as const) {
        sandbox.setRulesets("acme", [{ ...all, enforcement }]);
        expect((await createRef(asAlice, enforcement, sha)).status).toBe(201);
      }
      sandbox.setRulesets("acme", []);
      sandbox.setRulesets(name, [{ rules: ["creation"] }]);
      expect((await createRef(asAlice, "topic", sha)).status).toBe(201);
    },
    {},
    { ci: null },
  ));

test("a star in a ref pattern does not match a slash, and two stars do only with a slash behind them", () => {
  const isIn = (pattern: string, branch: string) =>
    matchesRefName(
      { include: [pattern], exclude: [] },
      { ref: `refs/heads/${branch}`, defaultBranch: "main" },
    );
  expect(isIn("refs/heads/mq/*", "mq/a")).toBe(true);
  expect(isIn("refs/heads/mq/*", "mq/a/b")).toBe(false);
  expect(isIn("refs/heads/mq/**", "mq/a/b")).toBe(false);
  expect(isIn("refs/heads/mq/**/*", "mq/a/b")).toBe(true);
  expect(isIn("refs/heads/mq/**/*", "mq/a")).toBe(true);
  expect(isIn("~DEFAULT_BRANCH", "main")).toBe(true);
});

test("a rebase is refused where signatures are required, and every merge by a pre-receive hook", () =>
  withRules(["required_signatures"], async ({ asAlice, sandbox }) => {
    const { number } = await openPull(asAlice, "feature", { a: "1" });
    const unsigned = {
      status: 405,
      message: "Base branch requires signed commits. Rebase merges cannot be automatically signed by GitHub",
    };
    expect(await refusal(press(asAlice, number, "rebase"))).toEqual(unsigned);
    sandbox.setRulesets(name, []);
    sandbox.setProtection(name, "main", { signatures: true });
    expect(await refusal(press(asAlice, number, "rebase"))).toEqual(unsigned);
    sandbox.setPreReceiveHook(name, "hook.sh: failed with exit status 1");
    expect(await refusal(press(asAlice, number, "squash"))).toEqual({
      status: 405,
      message: "Could not merge because a Git pre-receive hook failed.\n\nhook.sh: failed with exit status 1",
    });
    sandbox.setPreReceiveHook(name, null);
    expect((await press(asAlice, number, "squash")).data.merged).toBe(true);
  }));

test("each rule has its own message", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const main = await tipOf(asAlice, "main");
      const plain = await commitOn(asAlice, main, { a: "1" }, "Add a");
      const large = await commitOn(asAlice, main, { "big.bin": "x".repeat(1_100_000) });
      await createRef(asAlice, "scratch", main);
      const { data: merged } = await asAlice.rest.repos.merge({ ...target, base: "scratch", head: plain });
      const cases: [RulesetOptions["rules"][number], string, RegExp][] = [
        ["required_linear_history", merged.sha, /^This branch must not contain merge commits\.\n {2}Found 1/],
        ["required_signatures", plain, /^Commits must have verified signatures\./],
        [{ type: "pull_request" }, plain, /^Changes must be made through a pull request\.$/],
        [
          { type: "required_status_checks", required_status_checks: [{ context: "one" }] },
          plain,
          /^Required status check "one" is expected\.$/,
        ],
        [
          { type: "commit_message_pattern", operator: "regex", pattern: "^feat:" },
          plain,
          /^Commit message must match a given regex pattern: \^feat:$/,
        ],
        [
          { type: "required_deployments", required_deployment_environments: ["staging"] },
          plain,
          /^Missing successful active staging deployment\.$/,
        ],
        [
          { type: "required_deployments", required_deployment_environments: ["staging", "production"] },
          plain,
          /^Missing successful active staging and production deployments\.$/,
        ],
        [{ type: "merge_queue" }, plain, /^Changes must be made through the merge queue$/],
        [
          { type: "workflows", workflows: [{ path: ".github/workflows/ci.yml", repository_id: 1 }] },
          plain,
          /^Required workflow .github\/workflows\/ci.yml is expected\.$/,
        ],
        [
          {
            type: "code_scanning",
            code_scanning_tools: [
              { tool: "CodeQL", alerts_threshold: "errors", security_alerts_threshold: "all" },
            ],
          },
          plain,
          /^Code scanning is waiting for results from CodeQL/,
        ],
        [
          { type: "file_path_restriction", restricted_file_paths: ["a"] },
          plain,
          /^File path a is restricted/,
        ],
        [
          { type: "max_file_size", max_file_size: 1 },
          large,
          /^File big\.bin exceeds the maximum size of 1 MB/,
        ],
      ];
      for (const [rule, sha, text] of cases) {
        sandbox.setRulesets(name, [{ rules: [rule] }]);
        const { status, message } = await refusal(moveMain(asAlice, sha));
        expect(status).toBe(422);
        expect(message).toMatch(/^Repository rule violations found\n\n/);
        expect(message.slice(restful().length).trimEnd()).toMatch(text);
      }
      sandbox.setRulesets(name, [{ include: ["~ALL"], rules: ["non_fast_forward", "deletion"] }]);
      await moveMain(asAlice, plain);
      expect((await refusal(moveMain(asAlice, main, true))).message).toBe(
        restful("Cannot force-push to this branch"),
      );
      const scratch = asAlice.rest.git.deleteRef({ ...target, ref: "heads/scratch" });
      expect((await refusal(scratch)).message).toBe(restful("Cannot delete this branch"));
      const named = { type: "branch_name_pattern", operator: "starts_with", pattern: "feat/" } as const;
      sandbox.setRulesets(name, [{ include: ["~ALL"], rules: [named] }]);
      expect((await refusal(createRef(asAlice, "fix", plain))).message).toBe(
        restful("Branch name must start with feat/"),
      );
      expect((await createRef(asAlice, "feat/fix", plain)).status).toBe(201);
    },
    {},
    { ci: null },
  ));

test("the bypass mode `exempt` frees an App from every rule, `always` frees merges and git, `pull_request` only merges", () =>
  inSandbox(
    async (scene) => {
      const { asAlice, asAdmin, asInstallation, sandbox } = scene;
      const bypassed = (mode: "always" | "pull_request" | "exempt") =>
        sandbox.setRulesets(name, [
          {
            rules: ["update"],
            bypass: [
              { actor: sandbox.app.slug, mode },
              { actor: "role:admin", mode },
            ],
          },
        ]);
      const clone = await cloneAs(scene, "admin", scene.admin.token);
      bypassed("pull_request");
      const [one, two] = [
        await openPull(asAlice, "one", { one: "1" }),
        await openPull(asAlice, "two", { two: "1" }),
      ];
      expect((await refusal(moveMain(asInstallation, one.sha))).status).toBe(422);
      expect((await press(asInstallation, one.number)).data.merged).toBe(true);
      await clone.git("pull", "origin", "main");
      await clone.commit({ c: "1" }, "Add c");
      expect(await clone.failure("push", "origin", "HEAD:main")).toMatch(/GH013/);
      bypassed("always");
      expect((await press(asInstallation, two.number)).data.merged).toBe(true);
      const next = await commitOn(asAlice, await tipOf(asAlice, "main"), { three: "1" });
      expect((await refusal(moveMain(asInstallation, next))).status).toBe(422);
      expect((await refusal(moveMain(asAdmin, next))).status).toBe(422);
      expect(await moveByGraphql(asInstallation, next)).toMatch(/Cannot update this protected ref/);
      await clone.git("pull", "--no-rebase", "--no-edit", "origin", "main");
      await clone.git("push", "origin", "HEAD:main");
      bypassed("exempt");
      const last = await commitOn(asAlice, await tipOf(asAlice, "main"), { four: "1" });
      expect((await moveMain(asInstallation, last)).status).toBe(200);
      await clone.remove();
    },
    {},
    { ci: null },
  ));

test("the rules of a branch are listed in pages of 30, without unenforced ones, even before the branch exists", () =>
  inSandbox(
    async ({ asCarol, asInstallation, sandbox }) => {
      const many = Array.from({ length: 34 }, (): "deletion" => "deletion");
      sandbox.setRulesets("acme", [{ include: ["~ALL"], rules: many }]);
      sandbox.setRulesets(name, [
        { include: ["~ALL"], rules: ["creation"], bypass: [{ actor: sandbox.app.slug, mode: "exempt" }] },
        { include: ["~ALL"], rules: ["update"], enforcement: "evaluate" },
      ]);
      const rules = (query: object, octokit = asCarol) =>
        octokit.rest.repos.getBranchRules({ ...target, branch: "no/such", ...query });
      const first = await rules({});
      expect(first.data).toHaveLength(30);
      expect(first.headers.link).toMatch(/rel="next"/);
      const all = (await rules({ per_page: 100 })).data;
      expect(all).toHaveLength(35);
      expect(all[0]).toMatchObject({
        type: "creation",
        ruleset_source: name,
        ruleset_source_type: "Repository",
      });
      expect(all.at(-1)).toMatchObject({ type: "deletion", ruleset_source: "acme" });
      const { ruleset_id = 0 } = all[0] as { ruleset_id?: number };
      const ruleset = (octokit: Scene["asCarol"]) =>
        octokit.rest.repos.getRepoRuleset({ ...target, ruleset_id });
      expect((await ruleset(asInstallation)).data.current_user_can_bypass).toBe("exempt");
      const { data } = await ruleset(asCarol);
      expect([data.current_user_can_bypass, data.bypass_actors]).toEqual(["never", undefined]);
    },
    {},
    { ci: null },
  ));

test("a private repository on a free plan neither shows nor applies rules", () =>
  inSandbox(
    async ({ asAlice, asAdmin, asInstallation }) => {
      const upgrade = {
        status: 403,
        message: "Upgrade to GitHub Pro or make this repository public to enable this feature.",
      };
      const main = { ...target, branch: "main" };
      expect(await refusal(asInstallation.rest.repos.getBranchRules(main))).toEqual(upgrade);
      expect(await refusal(asAdmin.rest.repos.getBranchProtection(main))).toEqual(upgrade);
      const { data } = await asAlice.rest.repos.getBranch(main);
      expect(data.protected).toBe(false);
      const sha = await commitOn(asAlice, data.commit.sha, { a: "1" });
      expect((await moveMain(asAlice, sha)).status).toBe(200);
    },
    {},
    { plan: "free", rulesets: [{ rules: ["update"] }], ci: null },
  ));

test("a pull request rule can dismiss stale reviews, and require code owners and someone other than the last pusher", () =>
  inSandbox(
    async ({ asAlice, asAdmin, asInstallation, sandbox }) => {
      const bob = sandbox.createUser({ login: "bob", permission: "write" });
      const { number } = await openPull(asAlice, "feature", { "src/a": "1" });
      const approve = (octokit: Scene["asAlice"]) =>
        octokit.rest.pulls.createReview({ ...target, pull_number: number, event: "APPROVE" });
      const said = async () => (await refusal(press(asInstallation, number))).message;
      const rule = (parameters: object) =>
        sandbox.setRulesets(name, [{ rules: [{ type: "pull_request", ...parameters }] }]);
      rule({ required_approving_review_count: 1, dismiss_stale_reviews_on_push: true });
      expect(await said()).toBe(
        restful("At least 1 approving review is required by reviewers with write access."),
      );
      await approve(asAdmin);
      const head = await tipOf(asAlice, "feature");
      const push = async (octokit: Scene["asAlice"], sha: string) =>
        octokit.rest.git.updateRef({ ...target, ref: "heads/feature", sha });
      await push(asAlice, await commitOn(asAlice, head, { "src/b": "1" }));
      const reviews = await asAlice.rest.pulls.listReviews({ ...target, pull_number: number });
      expect(reviews.data.map(({ state }) => state)).toEqual(["DISMISSED"]);
      expect(await said()).toMatch(/At least 1 approving review/);
      rule({ require_last_push_approval: true });
      await push(asAdmin, await commitOn(asAdmin, await tipOf(asAlice, "feature"), { "src/c": "1" }));
      await approve(asAdmin);
      expect(await said()).toMatch(/New changes require approval from someone other than admin/);
      rule({ require_code_owner_review: true });
      expect(await said()).toMatch(/Waiting on code owner review from bob\./);
      await approve(client(sandbox, bob.token));
      rule({ allowed_merge_methods: ["squash"] });
      expect(await said()).toMatch(/Merge method merge is not allowed/);
      rule({ require_code_owner_review: true, require_last_push_approval: true });
      expect((await press(asInstallation, number)).data.merged).toBe(true);
    },
    {},
    { ci: null, files: { "README.md": "# Widgets\n", ".github/CODEOWNERS": "* @admin\n/src/ @bob\n" } },
  ));

test("an App without the workflows permission cannot change a workflow in any way", () =>
  inSandbox(
    async ({ asAlice, asInstallation, sandbox }) => {
      const file = ".github/workflows/ci.yml";
      const { number, sha } = await openPull(asAlice, "feature", { [file]: "on: push\n" });
      const text = `refusing to allow a GitHub App to create or update workflow \`${file}\` without \`workflows\` permission`;
      expect(await refusal(press(asInstallation, number, "squash"))).toEqual({ status: 403, message: text });
      expect(await refusal(createRef(asInstallation, "mq/one", sha))).toEqual({ status: 422, message: text });
      expect(await moveByGraphql(asInstallation, sha)).toBe(text);
      await createRef(asInstallation, "scratch", await tipOf(asAlice, "main"));
      const branchMerge = asInstallation.rest.repos.merge({ ...target, base: "scratch", head: sha });
      expect(await refusal(branchMerge)).toEqual({ status: 403, message: text });
      const pull = { ...target, pull_number: number };
      await sandbox.settled();
      const states = [asInstallation, asAlice].map(
        async (octokit) => (await octokit.rest.pulls.get(pull)).data.mergeable_state,
      );
      expect(await Promise.all(states)).toEqual(["blocked", "clean"]);
      expect((await press(asAlice, number)).data.merged).toBe(true);
      // The file is on a branch now, so it is no longer a change.
      expect((await createRef(asInstallation, "mq/two", sha)).status).toBe(201);
    },
    { delays: { mergeability: 1 }, appManifest: manifestWith("workflows", null) },
    { ci: null },
  ));

test("mergeable_state depends on the viewer", () =>
  inSandbox(
    async ({ asAlice, asInstallation, sandbox }) => {
      const { number } = await openPull(asAlice, "feature", { a: "1" });
      await sandbox.settled();
      const state = async (octokit: Scene["asAlice"]) =>
        (await octokit.rest.pulls.get({ ...target, pull_number: number })).data.mergeable_state;
      const bypass = [{ actor: sandbox.app.slug, mode: "pull_request" as const }];
      sandbox.setRulesets(name, [{ rules: ["update"], bypass }]);
      expect([await state(asAlice), await state(asInstallation)]).toEqual(["blocked", "clean"]);
      const pattern = { type: "commit_message_pattern", operator: "starts_with", pattern: "feat" } as const;
      sandbox.setRulesets(name, [{ rules: [pattern] }]);
      expect([await state(asAlice), await state(asInstallation)]).toEqual(["blocked", "blocked"]);
    },
    {},
    { ci: null },
  ));

test("a strict rule expects the checks of a head again once the head is behind", () =>
  inSandbox(
    async ({ asAlice, sandbox }) => {
      const { number, sha } = await openPull(asAlice, "feature", { a: "1" });
      await passStatus(asAlice, sha, "one");
      await moveMain(asAlice, await commitOn(asAlice, await tipOf(asAlice, "main"), { b: "1" }));
      const strict = { strict_required_status_checks_policy: true };
      const checks = { required_status_checks: [{ context: "one" }], ...strict };
      sandbox.setRulesets(name, [{ rules: [{ type: "required_status_checks", ...checks }] }]);
      const pull = { ...target, pull_number: number };
      await asAlice.rest.pulls.get(pull);
      await sandbox.settled();
      expect((await asAlice.rest.pulls.get(pull)).data.mergeable_state).toBe("behind");
      expect(await refusal(press(asAlice, number))).toEqual({
        status: 405,
        message: restful('Required status check "one" is expected.'),
      });
    },
    {},
    { ci: null },
  ));
