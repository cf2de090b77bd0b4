import fc from "fast-check";

/**
 * Property tests generate the same examples in each run, so that a failure comes from the current change.
 * `FAST_CHECK_SEED` sets another seed; `FAST_CHECK_SEED=random` uses a random one, which a failure prints.
 */
const { FAST_CHECK_SEED = "20261121" } = process.env;
if (FAST_CHECK_SEED !== "random") fc.configureGlobal({ seed: Number(FAST_CHECK_SEED) });

export default fc;
