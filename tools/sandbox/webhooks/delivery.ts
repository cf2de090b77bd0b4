import { deflateRawSync, inflateRawSync } from "node:zlib";

/** One attempt to bring one event to the App. */
export interface Delivery {
  /** Of the attempt; the GUID is of the event. */
  id: number;
  guid: string;
  event: string;
  action: string | null;
  installationId: number | null;
  repositoryId: number | null;
  url: string;
  redelivery: boolean;
  requestHeaders: Record<string, string>;
  /** The body as sent; see {@link unpackBody}. */
  packedBody: Uint8Array;
  deliveredAt: Date;
  durationSeconds: number;
  succeeded: boolean;
  /** `OK`, or what went wrong. */
  status: string;
  /** 0 if there was no answer. */
  statusCode: number;
  responseHeaders: Record<string, string>;
  responseBody: string;
}

/**
 * Deliveries are many and large, and kept for as long as the sandbox lives: half a megabyte for each pull
 * request unless packed. Not a Buffer: a small one would hold on to the slab of Node's pool that it is cut
 * from.
 */
export const packBody = (body: string): Uint8Array => new Uint8Array(deflateRawSync(body, { level: 1 }));

/** The JSON that was sent. */
export const unpackBody = ({ packedBody }: Delivery): string => inflateRawSync(packedBody).toString("utf8");
