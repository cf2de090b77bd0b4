import type { ReasonCode } from "../reason.ts";
import type { ReasonGuide } from "./guide.ts";

/** Reasons why the queue itself runs, drains or is paused. */
export const queueStateGuides = {
  CONFIGURED: { kind: "queue", meaning: "An administrator changed the queue's state.", advice: null },
  MERGING_NOT_ALLOWED: {
    kind: "queue",
    meaning:
      "A rule of the branch or a setting of the repository forbids every merge, or two pull requests in a row were refused for the same cause. The queue is paused, and every pull request keeps its place.",
    advice:
      "An administrator does what the message says, and sets the queue to `running`. If only those two are at fault, cancel the second one first.",
  },
  BUILDING_NOT_ALLOWED: {
    kind: "queue",
    meaning:
      "A rule forbids the branches that the queue makes for its tests, or the test commits of two pull requests in a row were refused for the same cause. The queue is paused, and every pull request keeps its place.",
    advice: "An administrator does what the message says, and sets the queue to `running`.",
  },
  APP_SUSPENDED: {
    kind: "queue",
    meaning: "The App is suspended on the owner's account.",
    advice: "An owner unsuspends it. The queue then continues by itself.",
  },
  APP_UNINSTALLED: {
    kind: "queue",
    meaning: "The App is not installed on the owner's account.",
    advice: "An owner installs it again. The queue then continues by itself.",
  },
  APP_PERMISSIONS_NOT_GRANTED: {
    kind: "queue",
    meaning: "The owner has not accepted permissions that the App needs.",
    advice: "An owner accepts them. The queue then continues by itself.",
  },
  REPOSITORY_UNREACHABLE: {
    kind: "queue",
    meaning: "The App cannot see the repository: it was deleted or transferred, or access was removed.",
    advice: "An owner gives the App access, or an administrator deletes the queue.",
  },
  REPOSITORY_ARCHIVED: {
    kind: "queue",
    meaning: "The repository is archived, and cannot be changed.",
    advice: "An administrator unarchives it. The queue then continues by itself.",
  },
  BRANCH_MISSING: {
    kind: "queue",
    meaning: "The target branch does not exist.",
    advice: "Create it again, or delete the queue.",
  },
  OBSTACLE_GONE: {
    kind: "queue",
    meaning: "What stopped the queue has been resolved, and it continues.",
    advice: null,
  },
} as const satisfies Partial<Record<ReasonCode, ReasonGuide>>;
