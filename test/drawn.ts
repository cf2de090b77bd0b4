import fc from "fast-check";

/**
 * Properties draw the same examples in each run, so that what fails is the change that one is making. `FAST_CHECK_SEED` sets
 * another seed; `FAST_CHECK_SEED=random` one that nobody knows, which a failure then prints.
 */
const { FAST_CHECK_SEED = "20261121" } = process.env;
if (FAST_CHECK_SEED !== "random") fc.configureGlobal({ seed: Number(FAST_CHECK_SEED) });

export default fc;
