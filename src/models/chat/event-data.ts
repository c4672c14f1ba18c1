// The data of a provider's server-sent events, from text in any pieces. An event that does not end is given up, not kept [M5].

import { createParser } from "eventsource-parser"
import { EventTooLong, MAX_EVENT_CHARS } from "../mended-events.ts"

export class EventData {
  #ready: string[] = []
  /** Characters since the last event. */
  #size = 0
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ data }) => {
      this.#size = 0
      this.#ready.push(data)
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") throw new EventTooLong(this.#size)
    },
  })

  /** The events that end in this piece. */
  take(text: string): readonly string[] {
    this.#size += text.length
    this.#parser.feed(text)
    return this.#ready.splice(0)
  }
}
