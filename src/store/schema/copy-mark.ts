/** The table that marks a database which `trainyard copy` has begun to fill. It contains the progress, and is dropped at the end. */
export const unfinishedCopy = "trainyard_copy";
