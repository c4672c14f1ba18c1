// Completes a provider's server-sent events at their end [M5]. An event counts when a blank line ends it, and some servers close the
// connection without one: then the last event, which holds the finish and the usage, would be lost. A stream that broke off inside an event
// stays as it is.

export class StreamEnd {
  /** The text since the last line break. */
  #line: string[] = []
  #tail = ""

  take(text: string): void {
    const at = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"))
    if (at >= 0) this.#line = []
    if (at + 1 < text.length) this.#line.push(text.slice(at + 1))
    this.#tail = (this.#tail + text.slice(-4)).slice(-4)
  }

  /** What the stream lacks when nothing more comes. */
  missing(): string {
    const line = this.#line.join("")
    if (line !== "") return isWhole(line) ? "\n\n" : ""
    if (this.#tail === "" || /\n\r?\n$/.test(this.#tail)) return ""
    // After a carriage return a line feed may follow, so it alone ends no line yet.
    return "\n\n"
  }
}

/** Is this the data of a whole event? */
function isWhole(line: string): boolean {
  const [, data = ""] = /^data:(.*)$/.exec(line) ?? []
  if (data.trim() === "[DONE]") return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}
