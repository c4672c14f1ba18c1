// The copying side of a halt (../halt.ts): asks the server of a data folder to stand still, and to go on. A server that goes on too early, for
// whatever reason, makes the copy worthless, and this side hears of it.

import { once } from "node:events"
import type { Socket } from "node:net"
import { createInterface } from "node:readline"
import { OWNER } from "../data-folder.ts"
import { connectToHolder } from "../folder-lock.ts"
import { candidates, isWorkerdWith, proceed } from "../processes.ts"
import { Trouble } from "../trouble.ts"

/** For a server of an earlier build, which closes the connection, or a machine that does nothing. */
const ANSWERS_WITHIN_MS = 10_000

const SAYS: Readonly<Record<string, string>> = {
  busy: "another backup copies this folder at this moment: try again when it is done",
  failed: "the server's runtime could not be halted: try again, or stop the server and back up without it",
  late: "the server went on before everything was copied, because its disk is slow or much has changed: try again when it has less to do, or stop it",
  lost: "the server's runtime was started again while its folder was copied: try again",
}

export class HaltedServer {
  readonly #home: string
  readonly #socket: Socket
  readonly #words: AsyncIterator<string>

  private constructor(home: string, socket: Socket) {
    this.#home = home
    this.#socket = socket
    socket.on("error", () => undefined)
    this.#words = createInterface({ input: socket })[Symbol.asyncIterator]()
  }

  /** undefined: no server has the folder. */
  static async connect(home: string): Promise<HaltedServer | undefined> {
    const socket = await connectToHolder(home)
    return socket === undefined ? undefined : new HaltedServer(home, socket)
  }

  async halt(): Promise<void> {
    this.#socket.write("halt\n")
    await this.#expect("halted")
  }

  /** The server goes on. Returns for how many milliseconds it stood still. */
  async proceed(): Promise<number> {
    this.#socket.write("done\n")
    return Number((await this.#expect("released")).split(" ")[1])
  }

  close(): void {
    this.#socket.destroy()
  }

  async #expect(word: string): Promise<string> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ANSWERS_WITHIN_MS)
    try {
      const next = await Promise.race([this.#words.next(), once(late.signal, "abort").then(() => undefined)])
      const said = next === undefined || next.done === true ? "" : next.value
      if (said.startsWith(word)) return said
      // A launcher that was killed lets go of nothing, and its runtime still serves.
      if (said === "") for (const it of candidates(undefined)) if (isWorkerdWith(it.pid, OWNER, this.#home)) proceed(it)
      throw new Trouble(SAYS[said] ?? "the server ended while its folder was copied: start it again, or back up without it", 1)
    } finally {
      clearTimeout(timer)
    }
  }
}
