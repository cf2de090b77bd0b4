/** How long handled deliveries are remembered. */
export const forgetAfterMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Older commands are ignored. GitHub redelivers deliveries that are up to three days old (Enterprise Server: seven), so an
 * older one is a replay. Invariant: this is shorter than the memory, because only the memory shows that a delivery was
 * handled already.
 */
export const maxCommandAgeMs = 8 * 24 * 60 * 60 * 1000;
