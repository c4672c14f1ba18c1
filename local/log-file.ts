// The file of the server's log. A line that cannot be written, on a full disk or after the file was taken away, is dropped, and the next one tries
// again: a log never stops what it tells of.

import { createWriteStream, type WriteStream } from "node:fs"

/** Lines wait in memory for a slow disk up to this many bytes. */
const MOST_WAITING = 1_048_576

export class LogFile {
  readonly #file: string
  #stream: WriteStream | undefined

  constructor(file: string) {
    this.#file = file
  }

  write(line: string): void {
    this.#stream ??= this.#open()
    if (this.#stream.writableLength < MOST_WAITING) this.#stream.write(line)
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#file, { flags: "a", mode: 0o600 })
    stream.on("error", () => {
      if (this.#stream === stream) this.#stream = undefined
    })
    return stream
  }
}
