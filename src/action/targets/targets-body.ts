import type { EncodedBody } from "../../client/encoded-body.ts";

/** The maximum size of a request that the service accepts: 20 MiB of JSON. */
export const maxBodyBytes = 20 * 1024 * 1024;
/** The maximum size of a target that it accepts. */
const maxTargetBytes = 4_096;

const chunkBytes = 256 * 1024;

/**
 * A request to set impacted targets, which is encoded and measured as targets are added. The targets themselves are not kept. Once
 * the body exceeds the limit, its content is dropped, and only its size is measured.
 */
export class TargetsBody {
  readonly #limit: number;
  readonly #suffix = "]}";
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #chunk: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #used = 0;
  #bytes = 0;
  #count = 0;

  /** @param request everything except the targets. */
  constructor(request: object, limit = maxBodyBytes) {
    this.#limit = limit;
    this.#append(JSON.stringify({ ...request, impactedTargets: [] }).slice(0, -this.#suffix.length));
  }

  /** The number of added targets. */
  get count(): number {
    return this.#count;
  }

  /** The size of the whole body, in UTF-8. */
  get byteLength(): number {
    return this.#bytes + this.#suffix.length;
  }

  get isTooLarge(): boolean {
    return this.byteLength > this.#limit;
  }

  /** @throws RangeError when the service would refuse the target. */
  add(target: string): void {
    const problem = targetProblem(target);
    if (problem !== null) throw new RangeError(`target ${this.#count + 1} ${problem}`);
    this.#append(`${this.#count === 0 ? "" : ","}${JSON.stringify(target)}`);
    this.#count += 1;
  }

  /** The whole body; null when it is too large. Nothing can be added afterwards. */
  finish(): EncodedBody | null {
    if (this.isTooLarge) return null;
    this.#flush();
    return { chunks: [...this.#chunks, Buffer.from(this.#suffix)], byteLength: this.byteLength };
  }

  #append(json: string): void {
    if (this.isTooLarge) {
      this.#bytes += Buffer.byteLength(json);
      return;
    }
    // UTF-8 takes at most three bytes for each unit of a string.
    if (this.#used + json.length * 3 > this.#chunk.length) this.#grow(json.length * 3);
    const written = this.#chunk.write(json, this.#used);
    this.#used += written;
    this.#bytes += written;
    if (this.isTooLarge) this.#drop();
  }

  #grow(atLeast: number): void {
    this.#flush();
    this.#chunk = Buffer.from(new ArrayBuffer(Math.max(chunkBytes, atLeast)));
  }

  #flush(): void {
    if (this.#used > 0) this.#chunks.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = this.#chunk.subarray(this.#used);
    this.#used = 0;
  }

  #drop(): void {
    this.#chunks = [];
    this.#chunk = Buffer.alloc(0);
    this.#used = 0;
  }
}

function targetProblem(target: string): string | null {
  if (target.includes("\0")) return "contains a NUL character";
  const isLong = target.length * 3 > maxTargetBytes && Buffer.byteLength(target) > maxTargetBytes;
  return isLong ? `is longer than ${maxTargetBytes} bytes: ${target.slice(0, 40)}…` : null;
}
