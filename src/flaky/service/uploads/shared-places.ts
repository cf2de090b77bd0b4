import type { JobPlace, SharedPlace } from "../../store/history/test-evaluation-store.ts";

/** The shared places of a repository, including those found while uploads are evaluated. */
export class SharedPlaces {
  readonly #repositoryId: number;
  readonly #uploads = new Map<string, number>();
  readonly #found = new Map<string, SharedPlace>();

  constructor(repositoryId: number, known: readonly SharedPlace[]) {
    this.#repositoryId = repositoryId;
    for (const place of known) this.#uploads.set(keyOf(place), place.uploads);
  }

  /** The number of uploads of one run; 1 when matrix legs name their variant, or there is only one upload. */
  uploadsOf(place: JobPlace): number {
    return this.#uploads.get(keyOf(place)) ?? 1;
  }

  /** Records that one run has sent this many uploads. */
  note({ job, variant, step }: JobPlace, uploads: number): void {
    const place = { job, variant, step };
    if (uploads <= this.uploadsOf(place)) return;
    this.#uploads.set(keyOf(place), uploads);
    this.#found.set(keyOf(place), { ...place, uploads, repositoryId: this.#repositoryId });
  }

  found(): readonly SharedPlace[] {
    return [...this.#found.values()];
  }
}

function keyOf({ job, variant, step }: JobPlace): string {
  return JSON.stringify([job, variant, step]);
}
