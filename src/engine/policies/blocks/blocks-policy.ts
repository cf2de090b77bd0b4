import type { Policy } from "../../policy.ts";
import { beliefs } from "../beliefs/beliefs-policy.ts";
import { formationTime } from "./block-forming.ts";

/** Estimates faults in `single` mode: the line consists of blocks, each tested and merged together. */
export const blocks: Policy = { ...beliefs, name: "blocks", nextDeadline: formationTime };
