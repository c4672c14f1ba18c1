// Calls a provider's batch API: the same guard of addresses as a run's calls, no redirects, no key in any message [R36]. An address is made of
// the provider's own and of names that the provider gave; none is taken from an answer.

import { isObject } from "../../core/json.ts"
import { defined } from "../../core/defined.ts"
import { readJson } from "../../core/outside/json-pieces.ts"
import { err, ok, type Result } from "../../core/result.ts"
import type { Redactor } from "../../core/secrets/redact.ts"
import { Breath } from "../../ports/breath.ts"
import type { ModelError } from "../../ports/model.ts"
import type { ProviderSettings } from "../../ports/tenant/providers.ts"
import { baseUrlOf } from "../base-url.ts"
import { keyHeaders } from "../listed-models.ts"
import { checkProvider, straight, type ProviderDeps } from "../providers.ts"
import { failureOf, refusal } from "../reply/failure.ts"
import { startOf } from "../reply/no-stream.ts"
import { withSettings } from "../request-extras.ts"

const MAX_SAID = 256 * 1024 // limit: bytes read of what a provider says of a batch → it counts as no answer
const MAX_LINE = 8_000_000 // limit: characters of one result of a batch → its call counts as lost

export type Members = Readonly<Record<string, unknown>>

interface Ask {
  readonly method?: "POST" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
  readonly signal: AbortSignal
}

export class BatchDoor {
  readonly #settings: ProviderSettings
  readonly #deps: ProviderDeps
  readonly #redactor: Redactor

  constructor(settings: ProviderSettings, deps: ProviderDeps, redactor: Redactor) {
    this.#settings = settings
    this.#deps = deps
    this.#redactor = redactor
  }

  /** The members of a JSON answer. */
  async ask(path: string, ask: Ask): Promise<Result<Members, ModelError>> {
    return this.#tried(async () => {
      const response = await this.#send(path, ask)
      const text = response.body ? await startOf(response.body, MAX_SAID + 1) : ""
      if (text.length > MAX_SAID) return err(refusal("the provider says too much of a batch"))
      const read = await new Breath().through(readJson(text === "" ? "{}" : text))
      return read.ok && isObject(read.value) ? ok(read.value) : err(refusal("the provider's answer about a batch is no object"))
    })
  }

  /** Each line of a JSONL answer, as it comes. A line that is no object is passed over. */
  async lines(path: string, take: (line: Members) => Promise<void>, signal: AbortSignal): Promise<Result<void, ModelError>> {
    return this.#tried(async () => {
      const { body } = await this.#send(path, { signal })
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
      const breath = new Breath()
      let rest = ""
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        const parts = (rest + next.value).split("\n")
        rest = parts.pop() ?? ""
        for (const part of parts) await takeLine(part, take)
        if (rest.length > MAX_LINE) rest = ""
        await breath.take(next.value.length)
      }
      await takeLine(rest, take)
      return ok(undefined)
    })
  }

  async #send(path: string, { method, headers = {}, body, signal }: Ask): Promise<Response> {
    const { headers: own } = this.#settings
    const send = straight(
      withSettings(this.#deps.fetch ?? globalThis.fetch, defined({ headers: own })),
      this.#settings.apiKey === undefined,
    )
    const base = (baseUrlOf(this.#settings) ?? "").replace(/\/+$/, "")
    const response = await send(`${base}${path}`, {
      method: method ?? "GET",
      headers: { ...keyHeaders(this.#settings), ...headers },
      signal,
      ...defined({ body }),
    })
    if (response.ok) return response
    const said = response.body ? await startOf(response.body, MAX_SAID) : ""
    const { status: statusCode } = response
    throw Object.assign(new Error(response.statusText), {
      statusCode,
      responseBody: said,
      responseHeaders: Object.fromEntries(response.headers),
    })
  }

  async #tried<T>(work: () => Promise<Result<T, ModelError>>): Promise<Result<T, ModelError>> {
    const wrong = checkProvider(this.#settings, this.#deps.environment, this.#deps.zones)
    if (wrong !== undefined) return err(refusal(wrong))
    try {
      return await work()
    } catch (error) {
      const secrets = this.#settings.apiKey === undefined ? [] : [this.#settings.apiKey]
      return err(failureOf(error, secrets, { redactor: this.#redactor }))
    }
  }
}

async function takeLine(text: string, take: (line: Members) => Promise<void>): Promise<void> {
  if (text.trim() === "" || text.length > MAX_LINE) return
  const line = await new Breath().through(readJson(text))
  if (line.ok && isObject(line.value)) await take(line.value)
}

/** A name of the provider's, as it may stand in an address; undefined: it is none. */
export const nameIn = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w-]{1,200}$/.test(value) ? value : undefined

/** The provider does not know it, or it is over: what was to be ended has ended. */
export const orGone = (done: Result<unknown, ModelError>): Result<void, ModelError> =>
  done.ok || [404, 409, 410].includes(done.error.status ?? 0) ? ok(undefined) : done
