// Halts the runtime while a backup copies its last changes [O54]: workerd gets SIGSTOP, so no object commits, and its files are what a kill at
// that moment would have left. It goes on as soon as the copying is done, whoever copies is gone, or the time is up.
//
// The copying process asks over the socket that locks the data folder: "halt" → "halted", "done" → "released MS". Its end closes the socket.

import type { Socket } from "node:net"
import { isStopped, proceed, stopNow, type Process } from "./processes.ts"

/** Nobody waits longer than that for an answer because of a backup. */
export const LONGEST_HALT_MS = 5_000
/** A thread that writes to a slow disk stops when that write is done. */
const STOPS_WITHIN_MS = 2_000
const LOOK_MS = 2

export class Halt {
  readonly #runtime: () => Process | undefined
  readonly #longest: number
  #release: ((why: string) => void) | undefined

  constructor(runtime: () => Process | undefined, longest = LONGEST_HALT_MS) {
    this.#runtime = runtime
    this.#longest = longest
  }

  /** One connection to the socket. Most only ask whether somebody listens. */
  talk(socket: Socket): void {
    let mine: ((why: string) => void) | undefined
    socket.setEncoding("utf8")
    socket.on("error", () => undefined)
    socket.on("close", () => mine?.("gone"))
    socket.on("data", (text: string) => {
      const said = text.trim()
      if (said === "halt" && mine === undefined) {
        if (this.#release !== undefined) return void socket.end("busy\n")
        mine = this.#halt((word) => void (socket.destroyed || socket.write(`${word}\n`)))
      } else if (said === "done") mine?.("done")
      else socket.destroy()
    })
  }

  /** Lets go, whatever is copied: the server ends. */
  close(): void {
    this.#release?.("gone")
  }

  #halt(tell: (word: string) => void): (why: string) => void {
    const before = this.#runtime()
    const began = performance.now()
    let isHalted = false
    const release = (why: string): void => {
      if (this.#release !== release) return
      this.#release = undefined
      clearTimeout(limit)
      clearInterval(looks)
      // Of a runtime that died meanwhile there is another one, which writes.
      const isSame = before !== undefined && this.#runtime()?.pid === before.pid && isHalted && isStopped(before)
      if (before !== undefined) proceed(before)
      tell(why === "done" ? (isSame ? `released ${Math.round(performance.now() - began)}` : "lost") : why)
    }
    this.#release = release
    const limit = setTimeout(() => release("late"), this.#longest)
    const looks = setInterval(() => {
      if (isHalted || before === undefined) return
      if (isStopped(before)) {
        isHalted = true
        tell("halted")
      } else if (performance.now() - began > STOPS_WITHIN_MS) release("failed")
    }, LOOK_MS)
    if (before === undefined || !stopNow(before)) release("failed")
    return release
  }
}
