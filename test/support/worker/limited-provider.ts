// A provider of chat completions in place of `fetch` that refuses what is above its limit, to the call: it holds a sixth of a minute's requests,
// and fills as they come back.

export interface Taken {
  readonly at: number
  readonly status: number
  /** The last message of the request. */
  readonly said: string
}

interface Limits {
  readonly rpm: number
  /** Says how its limits stand. */
  readonly tells?: boolean
}

export class LimitedProvider {
  readonly taken: Taken[] = []
  readonly #host: string
  readonly #limits: Limits
  readonly #realFetch = globalThis.fetch
  #left: number
  #at = Date.now()
  #stop: { readonly until: number; readonly says: boolean } | undefined

  constructor(host: string, limits: Limits) {
    this.#host = host
    this.#limits = limits
    this.#left = Math.max(1, limits.rpm / 6)
    globalThis.fetch = async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      return new URL(url).host === host ? this.#answer(JSON.parse(String(init?.body))) : this.#realFetch(input, init)
    }
  }

  restore(): void {
    globalThis.fetch = this.#realFetch
  }

  get settings(): object {
    return { kind: "openai-compatible", baseUrl: `https://${this.#host}/v1` }
  }

  /** Refuses everything for so long; `says`: with the time. */
  stop(ms: number, says = true): void {
    this.#stop = { until: Date.now() + ms, says }
  }

  #answer(body: { readonly messages: readonly { readonly content: unknown }[] }): Response {
    const now = Date.now()
    const { rpm, tells } = this.#limits
    const holds = Math.max(1, rpm / 6)
    this.#left = Math.min(holds, this.#left + (rpm * (now - this.#at)) / 60_000)
    this.#at = now
    const stopped = this.#stop && this.#stop.until > now ? this.#stop : undefined
    const isTaken = stopped === undefined && this.#left >= 0.999
    if (isTaken) this.#left -= 1
    this.taken.push({ at: now, status: isTaken ? 200 : 429, said: JSON.stringify(body.messages.at(-1)?.content) })
    const headers = {
      ...(tells
        ? {
            "x-ratelimit-limit-requests": String(rpm),
            "x-ratelimit-remaining-requests": String(Math.floor(rpm / 2)),
            "x-ratelimit-reset-requests": "30s",
          }
        : {}),
      ...(stopped?.says ? { "retry-after-ms": String(stopped.until - now) } : {}),
    }
    if (!isTaken) return Response.json({ error: { message: "slow down" } }, { status: 429, headers })
    return new Response(REPLY, { headers: { ...headers, "content-type": "text/event-stream" } })
  }
}

const chunk = (more: object): string =>
  `data: ${JSON.stringify({ id: "x", created: 1, model: "m", object: "chat.completion.chunk", ...more })}\n\n`
const FINISH = { name: "finish", arguments: JSON.stringify({ status: "complete", summary: "done" }) }
const REPLY = [
  chunk({
    choices: [
      {
        index: 0,
        delta: { role: "assistant", tool_calls: [{ index: 0, id: "c1", type: "function", function: FINISH }] },
        finish_reason: null,
      },
    ],
  }),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
  chunk({ choices: [], usage: { prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 } }),
  "data: [DONE]\n\n",
].join("")
