/** How long it is known what was handled. */
export const forgetAfterMs = 30 * 24 * 60 * 60 * 1000;

/**
 * What was said longer ago is not heeded. GitHub delivers again what is up to three days old (Enterprise Server: seven), so that an
 * older delivery is a replay. Invariant: shorter than the memory, which alone tells that something was handled already.
 */
export const maxCommandAgeMs = 8 * 24 * 60 * 60 * 1000;
