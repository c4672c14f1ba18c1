// Person: a client of the service. It asks again until it is answered, as clients do, and with the same Idempotency-Key.

import type { Answer, Service } from "../platform/service.ts"

/** The key of the instance's administrator. */
export const ADMIN = "sl_admin_local"
const PATIENCE = 400

export class NeverAnswered extends Error {}

export class Person {
  readonly service: Service
  readonly #key: string

  constructor(service: Service, key: string) {
    this.service = service
    this.#key = key
  }

  /** One try. Rejects if the connection is lost. */
  ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.service.request(method, path, {
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      headers: { ...(this.#key === "" ? {} : { authorization: `Bearer ${this.#key}` }), "content-type": "application/json", ...headers },
    })
  }

  /** One try to read a stream as it comes, until `read` says false. */
  follow(path: string, headers: Readonly<Record<string, string>>, read: (text: string) => boolean): Promise<Answer> {
    return this.service.request("GET", path, {
      headers: { authorization: `Bearer ${this.#key}`, accept: "text/event-stream", ...headers },
      read,
    })
  }

  /** One try to say something and to hear the answer as it comes. */
  say(path: string, body: object, read: (text: string) => boolean): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" }
    return this.service.request("POST", path, { body: JSON.stringify(body), headers, read })
  }

  /** Until the answer is neither a server's error nor "come again later". */
  async insist(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    let last = "no answer"
    for (let i = 0; i < PATIENCE; i++) {
      try {
        const answer = await this.ask(method, path, body, headers)
        if (answer.status < 500 && answer.status !== 429 && !isBusy(answer)) return answer
        last = `${answer.status} ${answer.text.slice(0, 200)}`
      } catch (e) {
        last = String(e)
      }
      await this.service.sleep(500 + this.service.dice.below("patience", 4_000))
    }
    throw new NeverAnswered(`${method} ${path} was tried ${PATIENCE} times: ${last}`)
  }

  /** The body of a 2xx; throws for any other status. */
  async get<T>(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<T> {
    const answer = await this.insist(method, path, body, headers)
    if (answer.status < 200 || answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return (answer.text === "" ? undefined : JSON.parse(answer.text)) as T
  }

  /** All pages of a list. */
  async all<T>(path: string): Promise<T[]> {
    const found: T[] = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const more: string = cursor === "" ? "" : `${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursor)}`
      const page: { data: T[]; next_cursor?: string | null } = await this.get("GET", `${path}${more}`)
      found.push(...page.data)
      cursor = page.next_cursor ?? null
    }
    return found
  }
}

/** Another request with this key is under way. */
const isBusy = ({ status, text }: Answer): boolean => status === 409 && text.includes(":idempotency_busy")
