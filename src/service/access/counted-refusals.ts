import { nameKey } from "../../engine/model/names.ts";
import type { AuditEntry } from "../../store/access/audit-log.ts";

/** How long the same refusals are counted before their number is recorded. */
const countedMs = 60_000;
/** Limits the memory. Refusals of further kinds are recorded one by one. */
const mostKinds = 10_000;

interface Counted {
  times: number;
  /** The last of them. */
  last: AuditEntry;
  readonly timer: NodeJS.Timeout;
}

/**
 * Limits the entries of people and programs that repeat what they may not do: the first refusal is recorded at once, and the same
 * ones of the next minute in one entry with their number. A process that is killed meanwhile does not record that number.
 */
export class CountedRefusals {
  readonly #append: (entry: AuditEntry) => Promise<void>;
  readonly #counted = new Map<string, Counted>();

  /** @param append must not reject, because nobody would handle the error */
  constructor(append: (entry: AuditEntry) => Promise<void>) {
    this.#append = append;
  }

  /** Returns whether a refusal is recorded with its number later, and not now. */
  count(entry: AuditEntry): boolean {
    const key = kindOf(entry);
    const known = this.#counted.get(key);
    if (known) {
      known.times += 1;
      known.last = entry;
      return true;
    }
    if (this.#counted.size >= mostKinds) return false;
    const timer = setTimeout(() => void this.#record(key), countedMs).unref();
    this.#counted.set(key, { times: 0, last: entry, timer });
    return false;
  }

  /** Records all numbers now. */
  async settle(): Promise<void> {
    for (const key of [...this.#counted.keys()]) await this.#record(key);
  }

  async #record(key: string): Promise<void> {
    const counted = this.#counted.get(key);
    if (!counted) return;
    clearTimeout(counted.timer);
    this.#counted.delete(key);
    const { times, last } = counted;
    if (times > 0) await this.#append(times === 1 ? last : { ...last, times });
  }
}

/**
 * On pages, anybody can name any number of pull requests. People at a command line can also name branches that do not exist, and spell the
 * repository in any case.
 */
function kindOf({ organisation, action, code, actor, via, repo, branch, pr, token, subject }: AuditEntry) {
  const isAtCommandLine = via === "api" && actor.kind === "user";
  const named = isAtCommandLine ? [] : via === "dashboard" ? [branch] : [branch, pr];
  const repository = repo && nameKey(`${repo.host}/${repo.owner}/${repo.name}`);
  return JSON.stringify([organisation, action, code, actor, via, repository, named, token, subject]);
}
