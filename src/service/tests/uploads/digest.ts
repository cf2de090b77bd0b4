import { hash } from "node:crypto";
import type { Digest } from "../../../flaky/digest.ts";

export const digest: Digest = (algorithm, bytes) => hash(algorithm, bytes);
