import type { Policy } from "../../policy.ts";
import { beliefs } from "../beliefs/beliefs-policy.ts";
import { companyDeadline } from "./starting.ts";

/** Estimates faults in `parallel` mode: an entry is tested on top of the entries ahead that impact a common target. */
export const lanes: Policy = { ...beliefs, name: "lanes", nextDeadline: companyDeadline };
