// The Content-Security-Policy of a page of ours: one inline style sheet, named by its hash, and nothing else runs, loads or frames it.

/** `forms`: where its forms may go. */
export async function policyFor(style: string, forms = "'none'"): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)))
  const hash = btoa(String.fromCharCode(...digest))
  return `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'; form-action ${forms}`
}
