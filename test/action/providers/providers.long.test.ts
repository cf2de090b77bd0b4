import { testChanges } from "./test-changes.ts";

testChanges((changes) => changes.slice(1));
