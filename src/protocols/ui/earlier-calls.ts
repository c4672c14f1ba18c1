// Repeats calls and questions of earlier messages of the chat: their results arrive in the current message, and the AI SDK expects a call
// in the same message as its output.

import type { RunPort } from "../../ports/run.ts"

type Chunk = Readonly<Record<string, unknown>>

const PAGE = 500

export class EarlierCalls {
  readonly #port: RunPort
  readonly #after: number
  readonly #told = new Set<unknown>()
  #known: Map<unknown, Chunk> | undefined

  /** Of messages that begin after this event. */
  constructor(port: RunPort, after: number) {
    this.#port = port
    this.#after = after
  }

  /** What must be told before this chunk. */
  async before(chunk: Chunk): Promise<Chunk[]> {
    const { type, toolCallId, approvalId } = chunk
    if (type === "tool-input-available") this.#told.add(toolCallId)
    if (type === "tool-approval-request") this.#told.add(approvalId)
    if (type === "tool-approval-request" || (typeof type === "string" && type.startsWith("tool-output"))) return this.#call(toolCallId)
    if (type !== "tool-approval-response" || this.#told.has(approvalId)) return []
    const request = (await this.#earlier()).get(approvalId)
    if (!request) return []
    this.#told.add(approvalId)
    return [...(await this.#call(request["toolCallId"])), request]
  }

  async #call(id: unknown): Promise<Chunk[]> {
    if (this.#told.has(id)) return []
    this.#told.add(id)
    const call = (await this.#earlier()).get(id)
    return call ? [call] : []
  }

  async #earlier(): Promise<Map<unknown, Chunk>> {
    if (this.#known) return this.#known
    const known = new Map<unknown, Chunk>()
    for (let after: number | null = 0; after !== null && after < this.#after;) {
      const page: Awaited<ReturnType<RunPort["frames"]>> = await this.#port.frames(after, PAGE, "ui")
      for (const { seq, data } of page?.data ?? []) {
        if (seq > this.#after) break
        if (data["type"] === "tool-input-available") known.set(data["toolCallId"], data)
        if (data["type"] === "tool-approval-request") known.set(data["approvalId"], data)
      }
      after = page?.next ?? null
    }
    return (this.#known = known)
  }
}
