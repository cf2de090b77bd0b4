import { hash } from "node:crypto";
import type { Digest } from "../../digest.ts";

export const digest: Digest = (algorithm, bytes) => hash(algorithm, bytes);
