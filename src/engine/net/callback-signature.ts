// Signs callbacks by Standard Webhooks [W6]: HMAC-SHA-256 over `id.timestamp.body`, one per value of the scope, so a receiver with the old
// or the new secret can verify during rotation.

const encoder = new TextEncoder()

/** `whsec_` and base64, or base64 alone; undefined: this value cannot sign. */
export function signingKey(secret: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = secret.trim().replace(/^whsec_/, "")
  if (base64 === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The header `webhook-signature`; undefined: none of the values can sign. */
export async function callbackSignature(
  secrets: readonly string[],
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): Promise<string | undefined> {
  const signed = encoder.encode(`${message.id}.${message.timestamp}.${message.body}`)
  const keys = secrets.flatMap((secret) => signingKey(secret) ?? [])
  const signatures = await Promise.all(
    keys.map(async (bytes) => {
      const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
      return `v1,${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign("HMAC", key, signed))))}`
    }),
  )
  return signatures.length === 0 ? undefined : signatures.join(" ")
}
