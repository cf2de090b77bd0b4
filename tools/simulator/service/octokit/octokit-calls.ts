import type { InstalledRepository } from "../../../../src/ports/code-host/code-host.ts";
import type { VirtualCalls } from "../virtual-calls.ts";
import type { VirtualRepository } from "../virtual-repository.ts";
import { asOctokit } from "./octokit-errors.ts";

export interface OctokitCallsParts {
  readonly repository: VirtualRepository;
  readonly calls: VirtualCalls;
}

/** Calls through an installation: what it does not reach, GitHub refuses, with Octokit's errors. */
export class OctokitCalls {
  readonly #access: OctokitCallsParts;
  readonly #through: Pick<InstalledRepository, "installationId">;

  constructor(
    { repository, calls }: OctokitCallsParts,
    through: Pick<InstalledRepository, "installationId">,
  ) {
    this.#access = { repository, calls };
    this.#through = through;
  }

  read<T>(name: string, answer: () => T): Promise<T> {
    return asOctokitDoes(() => this.#access.calls.read(name, () => this.#guarded(false, answer)));
  }

  change<T>(name: string, effect: () => T): Promise<T> {
    return asOctokitDoes(() => this.#access.calls.change(name, () => this.#guarded(true, effect)));
  }

  #guarded<T>(isChange: boolean, answer: () => T): T {
    const refusal = this.#access.repository.refusalOf(this.#through, isChange);
    if (refusal) throw refusal;
    return answer();
  }
}

async function asOctokitDoes<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asOctokit(error);
  }
}
