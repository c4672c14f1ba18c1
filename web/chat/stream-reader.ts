// Writes streams into a thread's messages: the `start` frame of each stream names its message.

import { newMessage, take, text, type ChatMessage, type Chunk } from "./ui-message.ts"

export class StreamReader {
  isFinished = false
  readonly #messages: ChatMessage[]
  #message: ChatMessage | undefined

  constructor(messages: ChatMessage[]) {
    this.#messages = messages
  }

  read(chunk: Chunk): void {
    if (chunk["type"] === "start") this.#message = this.#place(text(chunk["messageId"]) ?? "")
    if (!this.#message) return
    take(this.#message, chunk)
    if (chunk["type"] !== "finish") return
    this.isFinished = true
    this.#message.took ??= Date.now() - this.#message.at
  }

  #place(id: string): ChatMessage {
    const messages = this.#messages
    const at = messages.findIndex((message) => message.role === "assistant" && message.id === id)
    const known = messages[at]
    if (known) {
      // What it goes on with is in it.
      while (messages.length > at + 1 && isPartOf(messages.at(-1), id)) messages.pop()
      known.status = "writing"
      return known
    }
    const last = messages.at(-1)
    const message = last?.role === "assistant" && last.id === "" ? last : newMessage("assistant", id, Date.now())
    if (message !== last) messages.push(message)
    message.id = id
    message.status = "writing"
    return message
  }
}

/** A message of the same run that was begun later, or one that has not begun. */
const isPartOf = (message: ChatMessage | undefined, id: string): boolean =>
  message?.role === "assistant" && (message.id === "" || message.id.startsWith(`${id}-`))
