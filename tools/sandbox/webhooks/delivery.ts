import { deflateRawSync, inflateRawSync } from "node:zlib";

/** One attempt to deliver one event to the App. */
export interface Delivery {
  /** The id of the attempt. The GUID identifies the event. */
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
  /** `OK`, or a description of the failure. */
  status: string;
  /** 0 if there was no response. */
  statusCode: number;
  responseHeaders: Record<string, string>;
  responseBody: string;
}

/**
 * Packs the body of a delivery. Deliveries are many and large, and are kept as long as the sandbox lives: unpacked, half a
 * megabyte for each pull request. The result is not a Buffer, because a small Buffer would keep its whole slab of Node's pool in
 * memory.
 */
export const packBody = (body: string): Uint8Array => new Uint8Array(deflateRawSync(body, { level: 1 }));

/** Returns the JSON that was sent. */
export const unpackBody = ({ packedBody }: Delivery): string => inflateRawSync(packedBody).toString("utf8");
