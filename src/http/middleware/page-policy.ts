// Builds the Content-Security-Policy of our pages: one inline style sheet by its hash; nothing else may run, load, or frame them.

/** `forms`: the allowed targets of forms. */
export async function policyFor(style: string, forms = "'none'"): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)))
  const hash = btoa(String.fromCharCode(...digest))
  return `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'; form-action ${forms}`
}
