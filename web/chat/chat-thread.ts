// Keeps a conversation with a flow: its messages and the current turn, and resumes it after a reload or a lost connection. The server
// handles a message once, even if it is sent again [P8], and a replayed message is updated in place. So a turn always resumes the same way:
// follow the live stream; if there is none, send the turn's last request again and read how it ended.

import { freshId } from "../fresh-id.ts"
import { backoff } from "../../src/core/backoff.ts"
import { defined } from "../../src/core/defined.ts"
import { Refused, type ChatDoor } from "./chat-door.ts"
import { StreamReader } from "./stream-reader.ts"
import { isAsking, newMessage, textOf, type CallPart, type ChatMessage, type Chunk } from "./ui-message.ts"

/** The last request of a thread. */
export interface ThreadTurn {
  readonly body: object
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface StoredThread {
  readonly messages: readonly ChatMessage[]
  readonly turn?: ThreadTurn
}

/** The storage of a thread across reloads. */
export interface Keep {
  load(): StoredThread | undefined
  save(kept: StoredThread): void
}

export type ThreadState = "ready" | "busy" | "lost"

/** A person's decision about a call. */
export type Decision =
  | { readonly decision: "approve" }
  | { readonly decision: "reject"; readonly reason?: string }
  | { readonly decision: "edit"; readonly args: object; readonly reason?: string }

/** Tries of a turn whose line breaks, about two minutes. */
const MAX_TRIES = 12
const FIRST_PAUSE = 500
const SLOWEST_PAUSE = 15_000
/** The server knows a message again for 24 hours. */
const TURN_MS = 23 * 3_600_000
/** What a flow gets of what was said before. */
const MAX_HISTORY = 100
const MAX_HISTORY_CHARS = 64_000
/** How soon a thread that waits for somebody else looks again, and how late at the most. */
const FIRST_LOOK = 5_000
const SLOWEST_LOOK = 60_000
/** A look shows nothing until it has read this long. */
const QUIET_MS = 400

export class ChatThread {
  readonly door: ChatDoor
  readonly messages: ChatMessage[]
  state: ThreadState = "ready"
  /** What the last request was refused for, if no message says it. */
  notice: string | undefined
  readonly #keep: Keep
  readonly #onGone: (() => void) | undefined
  readonly #listeners = new Set<() => void>()
  #turn: ThreadTurn | undefined
  #current: AbortController | undefined
  #looks = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `onGone`: a run ended out of sight and its request cannot be sent again, so who has another way reads its end. */
  constructor(door: ChatDoor, keep: Keep, onGone?: () => void) {
    this.door = door
    this.#keep = keep
    this.#onGone = onGone
    const kept = keep.load()
    this.messages = kept === undefined ? [] : structuredClone([...kept.messages])
    this.#turn = kept?.turn
  }

  /** Returns what ends the listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get last(): ChatMessage | undefined {
    return this.messages.at(-1)
  }

  get isBusy(): boolean {
    return this.state !== "ready"
  }

  /** A message of the person. */
  send(said: string): Promise<void> {
    const message = newMessage("user", `m-${freshId()}`, Date.now())
    message.parts.push({ type: "text", id: "text", text: said })
    message.status = "succeeded"
    this.messages.push(message)
    return this.#start()
  }

  /** Asks for another answer to the last message: as the same message when the first try may never have arrived, else as a new one. */
  again(): Promise<void> {
    const asked = this.messages.findLast(({ role }) => role === "user")
    if (!asked) return this.resume()
    while (this.last !== undefined && this.last !== asked) {
      if (this.last.id !== "") asked.id = `m-${freshId()}`
      this.messages.pop()
    }
    return this.#start()
  }

  /** [P23] */
  decide(part: CallPart, decided: Decision): Promise<void> {
    const { approval } = part
    if (!approval) return Promise.resolve()
    if (decided.decision === "edit") {
      const { args, reason } = decided
      const output = { decision: "edit", args, ...defined({ feedback: reason }) }
      return this.#answer(part, { toolCallId: approval.id, state: "output-available", output })
    }
    const approved = decided.decision === "approve"
    const reason = decided.decision === "reject" && decided.reason !== undefined ? { reason: decided.reason } : {}
    return this.#answer(part, { state: "approval-responded", approval: { id: approval.id, approved, ...reason } })
  }

  /** `output`: the body of an answer [Q2]. */
  answer(part: CallPart, output: object): Promise<void> {
    return this.#answer(part, { state: "output-available", output })
  }

  /** The run ends and says so itself. */
  async stop(): Promise<void> {
    try {
      await this.door.stop()
      if (this.state === "ready") await this.resume()
    } catch (e) {
      this.notice = `It could not be stopped: ${reasonOf(e)}`
      this.#changed()
    }
  }

  /** Follows what is live, and reads the end of a turn that ended meanwhile. */
  resume(): Promise<void> {
    return this.#run("resume")
  }

  /** Looks at once, if it waits for somebody else: the page is in view again. */
  look(): void {
    if (this.state === "ready" && this.last?.status === "waiting") void this.#look()
  }

  /** Leaves the thread: its run goes on. */
  close(): void {
    clearTimeout(this.#timer)
    this.#current?.abort()
    this.#listeners.clear()
  }

  #start(): Promise<void> {
    this.messages.push(newMessage("assistant", "", Date.now()))
    const history = this.messages.slice(0, -1).flatMap((message) => {
      const said = textOf(message)
      return said === "" ? [] : [{ id: message.id, role: message.role, parts: [{ type: "text", text: said }] }]
    })
    let room = MAX_HISTORY_CHARS
    const fits = ({ parts: [part] }: (typeof history)[number]): boolean => (room -= part?.text.length ?? 0) > 0
    const before = history.slice(-MAX_HISTORY - 1, -1)
    const from = before.findLastIndex((message) => !fits(message))
    this.#turn = { body: { id: this.door.place.thread, messages: [...before.slice(from + 1), ...history.slice(-1)] }, at: Date.now() }
    return this.#run("send")
  }

  async #answer(part: CallPart, said: object): Promise<void> {
    const message = this.messages.find(({ parts }) => parts.includes(part))
    if (!message || !isAsking(part)) return
    const before = { ...part, ...defined({ approval: part.approval && { ...part.approval } }) }
    const { type, toolName, toolCallId, input } = part
    const { id, metadata } = message
    const answered = {
      id,
      role: "assistant",
      metadata: { seq: metadata.seq ?? 0 },
      parts: [{ type, toolName, toolCallId, input, ...said }],
    }
    const turn = this.#turn
    this.#turn = { body: { id: this.door.place.thread, messages: [answered] }, at: Date.now() }
    part.state = part.approval ? "approval-responded" : "output-available"
    if (!part.approval && "output" in said) part.output = said.output
    message.status = "writing"
    await this.#run("send", () => {
      // It was not taken: the question is as it was.
      Object.assign(part, before)
      message.status = "waiting"
      this.#turn = turn
      return true
    })
  }

  async #run(first: "send" | "resume", giveBack?: () => boolean): Promise<void> {
    const { signal } = this.#begin()
    let next = first
    let sent = false
    this.state = "busy"
    this.#save()
    this.#changed()
    for (let tries = 0; tries < MAX_TRIES;) {
      let wait: number | undefined
      try {
        if (next === "send") sent = true
        const frames = next === "send" && this.#turn ? await this.door.send(this.#turn.body, signal) : await this.door.resume(signal)
        if (!frames) {
          if (this.#isSettled()) return this.#end(signal)
          if (sent || !this.#canSend()) return this.#onGone ? this.#onGone() : this.#end(signal)
          next = "send"
          continue
        }
        if (await this.#read(frames)) return this.#end(signal)
        tries = 0
      } catch (e) {
        if (signal.aborted) return
        const refused = e instanceof Refused ? e : undefined
        if (refused && isFinal(refused)) {
          if (first === "resume" && next === "resume") return this.#end(signal, refused.status === 401 ? refused.message : undefined)
          return this.#refuse(signal, refused.message, giveBack)
        }
        if (refused?.code === "thread_busy") sent = false
        wait = refused?.retryAfter
      }
      if (signal.aborted) return
      tries += 1
      this.state = "lost"
      this.#changed()
      await pause(wait === undefined ? backoff(FIRST_PAUSE, tries, SLOWEST_PAUSE) : wait * 1_000, signal)
      if (signal.aborted) return
      next = "resume"
      sent = false
    }
    this.#refuse(signal, "The server is unreachable. The run continues there.", undefined)
  }

  #begin(): AbortController {
    clearTimeout(this.#timer)
    this.#current?.abort()
    this.#current = new AbortController()
    this.notice = undefined
    return this.#current
  }

  /** Whether the stream was told to its end. */
  async #read(frames: AsyncGenerator<Chunk, boolean>): Promise<boolean> {
    const reader = new StreamReader(this.messages)
    for (;;) {
      const { done, value } = await frames.next()
      if (done === true) return value && reader.isFinished
      this.state = "busy"
      reader.read(value)
      this.#changed()
    }
  }

  #isSettled(): boolean {
    const { last } = this
    return last === undefined || (last.role === "assistant" && last.status !== "writing" && last.status !== "waiting")
  }

  #canSend(): boolean {
    return this.#turn !== undefined && Date.now() - this.#turn.at < TURN_MS
  }

  #end(signal: AbortSignal, notice?: string): void {
    if (signal.aborted) return
    this.state = "ready"
    this.notice = notice
    const { last } = this
    if (last?.role === "assistant" && last.status === "writing") {
      last.status = "refused"
      last.problem = "The end of this answer is no longer stored."
    }
    this.#save()
    this.#changed()
    this.#looks = 0
    this.#lookLater()
  }

  #refuse(signal: AbortSignal, why: string, giveBack: (() => boolean) | undefined): void {
    if (signal.aborted) return
    this.state = "ready"
    const { last } = this
    if (giveBack?.() === true) this.notice = why
    else if (last?.role === "assistant" && last.status === "writing") {
      last.status = "refused"
      last.problem = why
    } else this.notice = why
    this.#save()
    this.#changed()
    this.#lookLater()
  }

  /** Somebody else may answer what the run asks. */
  #lookLater(): void {
    clearTimeout(this.#timer)
    if (this.last?.status !== "waiting") return
    const look = (): void => {
      if (document.visibilityState === "visible") void this.#look()
      else this.#timer = setTimeout(look, FIRST_LOOK)
    }
    this.#timer = setTimeout(look, backoff(FIRST_LOOK, this.#looks++, SLOWEST_LOOK))
  }

  /** Reads the message again without a sign of it, unless something has changed. */
  async #look(): Promise<void> {
    const notice = this.notice
    const { signal } = this.#begin()
    this.notice = notice
    let frames: AsyncGenerator<Chunk, boolean> | undefined
    try {
      frames = await this.door.resume(signal)
      if (!frames) return await this.#run("resume")
      const early: Chunk[] = []
      const reader = new StreamReader(this.messages)
      const shown = (): void => {
        for (const chunk of early.splice(0)) reader.read(chunk)
      }
      let isLate = false
      const late = setTimeout(() => {
        isLate = true
        this.state = "busy"
        shown()
        this.#changed()
      }, QUIET_MS)
      try {
        for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
          if (isLate) reader.read(next.value)
          else early.push(next.value)
          if (isLate) this.#changed()
        }
      } finally {
        clearTimeout(late)
      }
      shown()
      if (!reader.isFinished) return await this.#run("resume")
      this.state = "ready"
      this.#save()
      this.#changed()
    } catch {
      if (signal.aborted) return
      this.state = "ready"
      this.#changed()
    }
    if (!signal.aborted) this.#lookLater()
  }

  #save(): void {
    this.#keep.save({ messages: this.messages, ...defined({ turn: this.#turn }) })
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The same request gets the same answer. */
const isFinal = ({ status, code }: Refused): boolean =>
  status < 500 && status !== 429 && status !== 408 && code !== "thread_busy" && code !== "idempotency_busy"

const reasonOf = (e: unknown): string => (e instanceof Refused ? e.message : "the server cannot be reached.")

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true })
  })
}
