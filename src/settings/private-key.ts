import { createPrivateKey } from "node:crypto";

const pemPattern = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----([A-Za-z0-9+/=\s]+)-----END \1-----/;

/**
 * Reads a private key in all forms that Probot accepts, with real or escaped line breaks or base64-encoded, and in those in which
 * people paste it: with the line breaks of Windows, with spaces instead, or in quotes.
 *
 * @returns a PEM with lines of 64 characters, or the problem as words that follow the name of the variable
 */
export function parsePrivateKey(text: string): { readonly pem: string } | { readonly problem: string } {
  const decoded = text.includes("-----BEGIN") ? text : Buffer.from(text, "base64").toString("utf8");
  const [, label, body] = pemPattern.exec(decoded.replaceAll(/\\[rn]/g, "\n")) ?? [];
  if (label === undefined || body === undefined)
    return { problem: "is not a private key in PEM format, without a passphrase" };
  const lines = body.replaceAll(/\s/g, "").match(/.{1,64}/g) ?? [];
  const pem = [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join("\n");
  const problem = problemOf(pem);
  return problem === null ? { pem } : { problem };
}

function problemOf(pem: string): string | null {
  try {
    const { asymmetricKeyType } = createPrivateKey(pem);
    if (asymmetricKeyType === "rsa") return null;
    return `is a key of the type ${asymmetricKeyType}, but the keys of GitHub Apps are of the type rsa`;
  } catch {
    // The error of OpenSSL says nothing to people.
    return "is damaged or incomplete; copy the whole file that the App's settings page gave you";
  }
}
