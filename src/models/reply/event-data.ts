// Reads the data of a provider's server-sent events from text in any pieces. An event that does not end is dropped [M5].

import { createParser } from "eventsource-parser"
import { EventTooLong, MAX_EVENT_CHARS } from "./mended-events.ts"
import { StreamEnd } from "./stream-end.ts"

export class EventData {
  #ready: string[] = []
  /** Characters since the last event. */
  #size = 0
  /** The answer, while it has no event: it may be no stream. */
  #start: string[] | undefined = []
  #startSize = 0
  readonly #end = new StreamEnd()
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ data }) => {
      this.#size = 0
      this.#start = undefined
      this.#ready.push(data)
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw new EventTooLong(this.#size)
    },
  })

  /** The events that end in this piece. */
  take(text: string): readonly string[] {
    this.#size += text.length
    this.#end.take(text)
    this.#startSize += text.length
    if (this.#startSize > MAX_EVENT_CHARS) this.#start = undefined
    this.#start?.push(text)
    this.#parser.feed(text)
    return this.#ready.splice(0)
  }

  /** The event that the stream's end ends. */
  rest(): readonly string[] {
    this.#parser.feed(this.#end.missing())
    return this.#ready.splice(0)
  }

  /** The answer that has no event at all; undefined: it has some. */
  get whole(): string | undefined {
    return this.#start?.join("")
  }
}
