// Sends requests to the app like a client, with a key of the tenant `acme`.

import { createApp } from "../../../src/http/app.ts"
import { FakeServices } from "./fake-services.ts"
import { undocumented } from "./documented-answer.ts"

export interface Asked {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; `{}` if it is not a JSON object. */
  readonly body: Record<string, unknown>
}

export interface Ask {
  readonly key?: string | null
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A house, its tenant `acme`, and `ask`, which sends a request. A string or bytes are sent unchanged, any other body as JSON. */
export function setUp() {
  const services = new FakeServices()
  const app = createApp(services)
  const ask = async (method: string, path: string, { key = "key-a", body, headers = {} }: Ask = {}): Promise<Asked> => {
    const raw = typeof body === "string" || body instanceof Uint8Array
    const type: Record<string, string> = body === undefined || raw ? {} : { "content-type": "application/json" }
    const response = await app.request(path, {
      method,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...type, ...headers },
      ...(body === undefined
        ? {}
        : { body: raw ? new Blob([typeof body === "string" ? body : new Uint8Array(body)]) : JSON.stringify(body) }),
    })
    const text = await response.text()
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0] ?? ""
    const wrong = undocumented(method, path, { status: response.status, type: mediaType, text })
    if (wrong !== undefined) throw new Error(`the API's document does not have this answer: ${wrong}`)
    return { status: response.status, headers: response.headers, text, body: parse(text) }
  }
  return { services, acme: services.of("acme"), app, ask }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** A well-formed run id. */
export const runId = (name: string): string => `run_${name.padEnd(26, "0")}`
