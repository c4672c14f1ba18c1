// A provider with a batch API, as a function in place of `fetch`: it takes batches, answers them when it is told to, and keeps books of what it
// was asked. Both APIs of one provider: Anthropic's Message Batches, OpenAI's files and batches.

export type BatchApi = "messages" | "responses" | "chat"

type Members = Record<string, unknown>

/** What becomes of one call: a reply, an error of the API's form, or no answer at all. */
export type Fate =
  | { readonly args: Members; readonly tool?: string }
  | { readonly error: { readonly type: string; readonly status: number } }
  | "expired"
  | "canceled"
  | "silent"

interface Batch {
  readonly id: string
  readonly name: string | undefined
  readonly calls: readonly { readonly id: string; readonly body: Members }[]
  readonly input: string | undefined
  state: "open" | "ended" | "canceled"
  results: string[]
}

export class BatchProvider {
  readonly #api: BatchApi
  readonly batches = new Map<string, Batch>()
  readonly #files = new Map<string, string>()
  readonly asked: string[] = []
  readonly removed: string[] = []
  readonly headers: Headers[] = []
  /** Each call that reached it, by its body's text: how often. */
  readonly seen = new Map<string, number>()
  /** The next request with this method and path is not answered: `before` it has done anything, or `after`. */
  lose: { readonly path: RegExp; readonly when: "before" | "after" } | undefined
  /** The status with which the next request to this path is refused. */
  refuse: { readonly path: RegExp; readonly status: number } | undefined
  #n = 0

  constructor(api: BatchApi) {
    this.#api = api
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input as RequestInfo, init)
    const path = `${request.method} ${new URL(request.url).pathname.replace(/^.*?\/v1/, "")}`
    this.asked.push(path)
    this.headers.push(request.headers)
    const { lose, refuse } = this
    if (lose?.path.test(path)) this.lose = undefined
    if (refuse?.path.test(path)) {
      this.refuse = undefined
      return Response.json({ error: { type: "api_error", message: "come back later" } }, { status: refuse.status })
    }
    if (lose?.path.test(path) && lose.when === "before") throw new Error("the connection was lost")
    const answer = await this.#answer(path, request)
    if (lose?.path.test(path)) throw new Error("the connection was lost")
    return answer
  }

  /** Answers every open batch. */
  answer(fateOf: (body: Members, n: number) => Fate): void {
    for (const batch of this.batches.values()) if (batch.state === "open") this.answerOne(batch, fateOf)
  }

  answerOne(batch: Batch, fateOf: (body: Members, n: number) => Fate): void {
    batch.state = "ended"
    // In another order than that of the calls, as both say.
    batch.results = batch.calls.flatMap(({ id, body }, n) => this.#result(id, fateOf(body, n)) ?? []).toReversed()
  }

  async #answer(path: string, request: Request): Promise<Response> {
    const [method = "", where = ""] = path.split(" ")
    const [, first = "", ...more] = where.split("/")
    if (this.#api === "messages") return this.#ofMessages(method, [first, ...more], request)
    if (first === "files") return this.#ofFiles(method, more, request)
    if (first === "batches") return this.#ofBatches(method, more, request)
    return Response.json({ error: { message: `no such path: ${path}` } }, { status: 404 })
  }

  async #ofMessages(method: string, [, , id, word]: readonly string[], request: Request): Promise<Response> {
    if (id === undefined) {
      const { requests } = (await request.json()) as { requests: { custom_id: string; params: Members }[] }
      return Response.json(this.#shown(this.#begin(requests.map(({ custom_id, params }) => ({ id: custom_id, body: params })))))
    }
    const batch = this.batches.get(id)
    if (!batch) return Response.json({ type: "error", error: { type: "not_found_error", message: "no such batch" } }, { status: 404 })
    if (method === "DELETE") {
      this.batches.delete(id)
      this.removed.push(id)
      return Response.json({ id, type: "message_batch_deleted" })
    }
    if (word === "cancel" && batch.state === "open") batch.state = "canceled"
    if (word === "results") return new Response(batch.results.join("\n"))
    return Response.json(this.#shown(batch))
  }

  async #ofFiles(method: string, [id, word]: readonly string[], request: Request): Promise<Response> {
    if (id === undefined) {
      const form = await request.formData()
      const file = form.get("file")
      const name = `file-${++this.#n}`
      this.#files.set(name, typeof file === "string" || file === null ? "" : await (file as Blob).text())
      return Response.json({ id: name, object: "file", purpose: form.get("purpose") })
    }
    const text = this.#files.get(id)
    if (text === undefined) return Response.json({ error: { message: "no such file" } }, { status: 404 })
    if (word === "content") return new Response(text)
    if (method === "DELETE") {
      this.#files.delete(id)
      this.removed.push(id)
    }
    return Response.json({ id, deleted: method === "DELETE" })
  }

  async #ofBatches(method: string, [id, word]: readonly string[], request: Request): Promise<Response> {
    if (id === undefined && method === "GET")
      return Response.json({ data: [...this.batches.values()].map((batch) => this.#shown(batch)).toReversed() })
    if (id === undefined) {
      const {
        input_file_id: input,
        metadata,
        endpoint,
      } = (await request.json()) as { input_file_id: string; metadata: { sluice: string }; endpoint: string }
      const lines = (this.#files.get(input) ?? "").split("\n").filter((line) => line !== "")
      const calls = lines.map((line) => JSON.parse(line) as { custom_id: string; url: string; body: Members })
      if (calls.some(({ url }) => url !== endpoint)) return Response.json({ error: { message: "another endpoint" } }, { status: 400 })
      const begun = this.#begin(
        calls.map(({ custom_id, body }) => ({ id: custom_id, body })),
        metadata.sluice,
        input,
      )
      return Response.json(this.#shown(begun))
    }
    const batch = this.batches.get(id)
    if (!batch) return Response.json({ error: { message: "no such batch" } }, { status: 404 })
    if (word === "cancel" && batch.state === "open") batch.state = "canceled"
    else if (word === "cancel") return Response.json({ error: { message: "it is over" } }, { status: 400 })
    return Response.json(this.#shown(batch))
  }

  #begin(calls: Batch["calls"], name?: string, input?: string): Batch {
    const batch: Batch = { id: `batch_${++this.#n}`, name, calls, input, state: "open", results: [] }
    for (const { body } of calls) {
      const text = JSON.stringify(body)
      this.seen.set(text, (this.seen.get(text) ?? 0) + 1)
    }
    this.batches.set(batch.id, batch)
    return batch
  }

  #shown({ id, name, state, results, input }: Batch): Members {
    if (this.#api === "messages")
      return {
        id,
        type: "message_batch",
        processing_status: state === "open" ? "in_progress" : state === "canceled" ? "canceling" : "ended",
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
        // Never followed.
        results_url: "https://elsewhere.example.com/results",
      }
    const [good, bad] = [`out-${id}`, `err-${id}`]
    const isBad = (line: string): boolean => line.includes('"error":{') || /"status_code":[45]/.test(line)
    if (state === "ended" && !this.removed.includes(good)) {
      this.#files.set(good, results.filter((line) => !isBad(line)).join("\n"))
      this.#files.set(bad, results.filter((line) => isBad(line)).join("\n"))
    }
    return {
      id,
      object: "batch",
      status: state === "open" ? "in_progress" : state === "canceled" ? "cancelling" : "completed",
      expires_at: Math.floor(Date.now() / 1_000) + 86_400,
      input_file_id: input,
      metadata: { sluice: name },
      ...(state === "ended" ? { output_file_id: good, error_file_id: bad } : {}),
    }
  }

  #result(id: string, fate: Fate): string | undefined {
    if (fate === "silent") return undefined
    if (this.#api === "messages") return JSON.stringify({ custom_id: id, result: messageResult(fate) })
    if (fate === "expired" || fate === "canceled")
      return JSON.stringify({
        custom_id: id,
        response: null,
        error: { code: fate === "expired" ? "batch_expired" : "batch_cancelled", message: fate },
      })
    if ("error" in fate)
      return JSON.stringify({
        custom_id: id,
        response: { status_code: fate.error.status, body: { error: { type: fate.error.type, message: "no" } } },
        error: null,
      })
    const body = this.#api === "chat" ? completion(fate) : response(fate)
    return JSON.stringify({ custom_id: id, response: { status_code: 200, body }, error: null })
  }
}

type Reply = Extract<Fate, { args: Members }>

/** What each call reads and writes. */
export const USED = { input: 100, output: 20 } as const

function messageResult(fate: Exclude<Fate, "silent">): Members {
  if (fate === "expired" || fate === "canceled") return { type: fate }
  if ("error" in fate) return { type: "errored", error: { type: "error", error: { type: fate.error.type, message: "no" } } }
  return {
    type: "succeeded",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [
        { type: "text", text: "so" },
        { type: "tool_use", id: "call_1", name: fate.tool ?? "finish", input: fate.args },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: USED.input, output_tokens: USED.output },
    },
  }
}

const completion = ({ args, tool = "finish" }: Reply): Members => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "so",
        tool_calls: [{ id: "call_1", type: "function", function: { name: tool, arguments: JSON.stringify(args) } }],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: { prompt_tokens: USED.input, completion_tokens: USED.output, total_tokens: USED.input + USED.output },
})

const response = ({ args, tool = "finish" }: Reply): Members => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output: [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "so", annotations: [] }],
    },
    { id: "fc_1", type: "function_call", call_id: "call_1", name: tool, arguments: JSON.stringify(args), status: "completed" },
  ],
  usage: { input_tokens: USED.input, output_tokens: USED.output, total_tokens: USED.input + USED.output },
})
