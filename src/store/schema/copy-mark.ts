/** The table of a database that `trainyard copy` has begun to fill. It has the progress, and is dropped at the end. */
export const unfinishedCopy = "trainyard_copy";
