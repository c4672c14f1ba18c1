// Explains a provider's success that is not a stream: an error that a gateway sends with status 200, or its sign-in page. Its text is
// reported, instead of a stream that ended early.

const MAX_READ = 64 * 1024 // limit: bytes read of a provider's answer that is no stream → the rest is not read

export class NoStream extends Error {
  /** The beginning of the answer. */
  readonly said: string

  constructor(said: string) {
    super("the answer is not a stream")
    this.said = said
  }
}

/** Throws for pages and for JSON. An answer of another type may be a stream under a wrong name. */
export const streamsOnly =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    if (!response.ok || !response.body || !/^(?:application\/json|text\/html)\b/i.test(response.headers.get("content-type") ?? ""))
      return response
    throw new NoStream(await startOf(response.body, MAX_READ))
  }

/** The beginning of a body, up to `most` bytes. */
export async function startOf(body: ReadableStream<Uint8Array>, most: number): Promise<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const texts: string[] = []
  for (let size = 0; size < most;) {
    const { done, value } = await reader.read()
    if (done) return texts.join("") + decoder.decode()
    texts.push(decoder.decode(value, { stream: true }))
    size += value.byteLength
  }
  reader.cancel().catch(() => undefined)
  return texts.join("")
}
