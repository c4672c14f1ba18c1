// Writes the server's log file. A line that cannot be written, because the disk is full or the file is gone, is dropped, and the next line
// is tried again: logging never stops the server.

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
