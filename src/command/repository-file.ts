import * as z from "zod";
import { type EntryState, parsePriority } from "../engine/model/entry.ts";
import { isSameName } from "../engine/model/names.ts";

import { isPlaceholder, placeholders, placeholdersIn } from "./commit-text.ts";
import { freezeRule } from "./freezes/freeze-schema.ts";

/** The file in which a repository configures its queue. It is read only from the branch that the queue merges into. */
export const repositoryFilePath = ".github/trainyard.yml";
/** The paths at which it is read. */
export const repositoryFilePaths: readonly string[] = [repositoryFilePath, ".github/trainyard.yaml"];

/** Directories in which files with such a name are noticed, because people keep configuration there. "" is the root. */
export const searchedDirectories = ["", ".github", ".config"] as const;
/** Finds the name in lists of paths. Matches too much rather than too little. */
export const nearlyOurName = /\.?trainyard\.(?:ya?ml|json)/i;
const nearlyOurPath = new RegExp(
  `^(?:${searchedDirectories.map((name) => RegExp.escape(name === "" ? "" : `${name}/`)).join("|")})${nearlyOurName.source}$`,
  "i",
);

/** Whether a path is that of the repository's file, or so similar that somebody may take it for that file. */
export function resemblesRepositoryFile(path: string): boolean {
  return nearlyOurPath.test(path);
}

const name = z.string().trim().min(1).max(100);

const stateLabels = z.strictObject({
  not_ready: name.optional(),
  pending: name.optional(),
  testing: name.optional(),
  tests_passed: name.optional(),
  pending_failure: name.optional(),
  merged: name.optional(),
  failed: name.optional(),
  cancelled: name.optional(),
} satisfies Record<EntryState, unknown>);

const priorityLabels = z.record(name, z.union([z.string(), z.number()])).check(
  z.superRefine((labels, context) => {
    for (const [label, priority] of Object.entries(labels)) {
      if (parsePriority(priority)) continue;
      context.addIssue({
        code: "custom",
        path: [label],
        message: "must be urgent, high, medium, low, or a number from 0 to 4294967295",
      });
    }
  }),
);

/** A path as git writes it: from the root, without a slash at its beginning or end. Not a pattern. */
const protectedPath = z
  .string()
  .trim()
  .max(1_024)
  .transform((path) => path.replace(/^\.?\//, "").replace(/\/+$/, ""))
  .refine(
    (path) => path !== "" && !/[*?\\]/.test(path) && !path.split("/").some((part) => /^\.{0,2}$/.test(part)),
    "must be the path of a file or a directory, without patterns",
  );

/** The id of `github-actions[bot]`. Anyone who may change a workflow can push as this bot. */
const githubActionsBot = 41_898_282;

const namesOfPlaceholders = placeholders.map((name) => `{${name}}`).join(", ");

const commitTemplate = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .check(
      z.superRefine((template, context) => {
        const [doubled] = /\{\{\s*\w+\s*\}\}/.exec(template) ?? [];
        if (doubled !== undefined) {
          const message = `has ${doubled}; a placeholder has single braces, such as {title}`;
          return context.addIssue({ code: "custom", message });
        }
        const unknown = placeholdersIn(template).find((name) => !isPlaceholder(name));
        if (unknown === undefined) return;
        const message = `has the unknown placeholder {${unknown}}; known: ${namesOfPlaceholders}`;
        context.addIssue({ code: "custom", message });
      }),
    );

export const repositoryFileSchema = z.strictObject({
  requiredStatuses: z
    .array(z.string().trim().min(1).max(1_024))
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      "Names of the checks that must pass on test branches. The queue's setting requiredStatuses overrides it; without either, the branch's protection decides.",
    ),
  permission: z
    .enum(["write", "admin"])
    .default("write")
    .describe("The permission that somebody needs on the repository to queue, cancel and restart."),
  forks: z
    .enum(["ask-sha", "deny"])
    .default("ask-sha")
    .describe(
      "Pull requests from forks, whose code runs with the repository's secrets once it is tested. `ask-sha`: the command has to name the head. `deny`: they are not queued.",
    ),
  protectedPaths: z
    .array(protectedPath)
    .max(100)
    .default([])
    .describe(
      "Files and directories, besides .github/workflows and .github/actions, that decide what CI runs. A pull request from a fork that changes one is queued only by an administrator who names its head.",
    ),
  bots: z
    .array(z.int().positive())
    .max(100)
    .default([])
    .describe(
      "Numeric ids of bots that may queue, cancel and restart. Names are not accepted, because a name can pass to another bot. The queue's setting allowedBotSubmitters adds others.",
    ),
  requeuesByBots: z
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      "How often bots, API tokens and the Action may submit the same head of a pull request again before a person does: in a comment, by a label or on the dashboard. Absent: without limit.",
    ),
  rebasingBots: z
    .array(
      z
        .int()
        .positive()
        .refine(
          (id) => id !== githubActionsBot,
          "is github-actions[bot]: everybody who may change a workflow can push as it",
        ),
    )
    .max(100)
    .default([])
    .describe(
      "Numeric ids of bots, such as 29139614 (Renovate) and 49699333 (Dependabot), whose push to a queued pull request keeps its place if it only rebases: the same patch on a newer base. It is tested again.",
    ),
  labels: z
    .strictObject({
      submit: name
        .nullable()
        .optional()
        .describe(
          "Adding it submits the pull request, removing it cancels; null: no label does. Absent: the service's label. The queue's setting enqueueingLabel overrides it.",
        ),
      priorities: priorityLabels
        .default({
          "trainyard:priority-urgent": "urgent",
          "trainyard:priority-high": "high",
          "trainyard:priority-medium": "medium",
          "trainyard:priority-low": "low",
        })
        .describe("Labels that set the priority, by name: urgent, high, medium, low, or a number."),
      states: stateLabels
        .default({})
        .describe(
          "Labels that show the state in the queue; a state that is left out shows none. Absent: no labels are set, unless the queue's setting stateLabelsEnabled asks for them.",
        ),
    })
    .check(
      z.superRefine(({ submit, priorities, states }, context) => {
        for (const [state, label] of Object.entries(states)) {
          const isCommand = isSameName(label, submit) || writtenPriority({ priorities }, label) !== undefined;
          if (!isCommand) continue;
          context.addIssue({
            code: "custom",
            path: ["states", state],
            message: "is a label that gives a command",
          });
        }
      }),
    )
    .prefault({})
    .describe("Labels that give commands, and labels that show the state."),
  answerOtherBots: z
    .boolean()
    .default(true)
    .describe(
      "Whether a line that commands another merge queue, such as `bors r+`, `@mergifyio queue` or `/merge`, or a whole comment like `r+` or `retry`, is answered with the command that does the same here. False: such lines are ignored, for example because the other bot is still at work.",
    ),
  notify: z
    .enum(["comment", "none"])
    .default("comment")
    .describe(
      "How people hear of a pull request that has lost its place: it failed, was pushed to, or was taken out by somebody else. `comment`: a new comment mentions its author and its submitter. `none`: the earlier comment is edited, of which GitHub notifies nobody.",
    ),
  freezes: z
    .array(freezeRule)
    .max(50)
    .default([])
    .describe(
      "Windows in which only urgent pull requests merge. Tests go on, and what has passed merges when the window ends.",
    ),
  commitTitle: commitTemplate(1_000)
    .optional()
    .describe(
      `The title of the commit that a pull request merges as, with ${namesOfPlaceholders}. For merge_commit and squash; a rebase keeps the commits' own. Absent: GitHub's default.`,
    ),
  commitMessage: commitTemplate(10_000)
    .optional()
    .describe(
      "The message below the title, with the same placeholders. A squash also keeps its co-authors and sign-offs. Absent: GitHub's default.",
    ),
});

/** The contents of `.github/trainyard.yml`, with defaults for absent keys. */
export type RepositoryFile = z.output<typeof repositoryFileSchema>;

/** The priority that a label stands for; undefined = none. */
export function writtenPriority(
  { priorities }: Pick<RepositoryFile["labels"], "priorities">,
  label: string | undefined,
): string | number | undefined {
  return Object.entries(priorities).find(([name]) => isSameName(name, label))?.[1];
}

/** The settings of an absent or empty file: the defaults. */
export const noRepositoryFile: RepositoryFile = repositoryFileSchema.parse({});
