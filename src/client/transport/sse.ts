// Reads server-sent events over fetch: the `data:` of each message; comments and other fields are skipped.

export async function* sseData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  // Not `for await`, because not every browser can iterate a stream.
  const reader = body.getReader()
  let buffer = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      buffer = (buffer + decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n")
      for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
        const message = buffer.slice(0, end)
        buffer = buffer.slice(end + 2)
        const data = message
          .split("\n")
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).replace(/^ /, ""))
        if (data.length > 0) yield data.join("\n")
      }
    }
  } finally {
    // A reader that stops early closes the connection.
    await reader.cancel().catch(() => undefined)
  }
}
