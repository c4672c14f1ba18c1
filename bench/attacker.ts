// Acts as the attacking tenant: an HTTP client that ignores refusals, and shortcuts that make an agent do something.

import { Agent, request } from "node:http"
import { pause } from "./server.ts"

export interface Answer {
  readonly status: number
  readonly text: string
}

const RESTS = /"status":"(succeeded|failed|canceled|waiting)"/
/** A run that waits for its children is at work. */
const ENDED = /"status":"(succeeded|failed|canceled)"/
const agent = new Agent({ keepAlive: false })

/** Resolves with the answer that the attacker got. */
export type Attack = (attacker: Attacker) => Promise<string>

export class Attacker {
  readonly url: string
  readonly site: string
  readonly #key: string

  constructor(url: string, key: string, site: string) {
    this.url = url
    this.#key = key
    this.site = site
  }

  /** The headers of a call of its own. */
  get identity(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.#key}` }
  }

  send(method: string, path: string, body?: object | string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const sent = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const call = request(path.startsWith("http") ? path : this.url + path, {
        method,
        agent,
        headers: { authorization: `Bearer ${this.#key}`, "content-type": "application/json", ...headers },
      })
      call.once("error", reject)
      call.once("response", (answer) => {
        const parts: Buffer[] = []
        answer.on("data", (part: Buffer) => parts.push(part))
        answer.once("error", reject)
        answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
      })
      call.end(sent)
    })
  }

  /** What must work for the attack to be one. */
  async must(method: string, path: string, body?: object | string, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    const answer = await this.send(method, path, body, headers)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`)
    return answer
  }

  /** A run of one agent with these tools, whose model says these turns; resolves with how it rests. */
  async act(tools: readonly string[], turns: readonly object[], flow = ONE, more: object = {}): Promise<string> {
    await this.must("PUT", "/v1/settings/providers/attack", { kind: "scripted", turns: { "*": [...turns, FINISH] } })
    await this.must("PUT", "/v1/catalog", {
      agents: {
        "a.md": `---\nname: a\ndescription: attacks\nmodel: attack/m\ntools: ${JSON.stringify(tools)}\nmax_turns: 40\n---\nGo. \${{task}}\n`,
      },
      flows: { "f.yaml": flow, "child.yaml": CHILD },
      skills: {},
      ...more,
    })
    return this.rest("f")
  }

  async rest(flow: string, body: object = {}, hasChildren = false): Promise<string> {
    const begun = await this.must("POST", `/v1/flows/${flow}/runs`, { task: "go", autonomous: false, ...body })
    const id = /"id":"([^"]+)"/.exec(begun.text)?.[1] ?? ""
    for (;;) {
      const { text } = await this.send("GET", `/v1/runs/${id}`)
      const status = (hasChildren ? ENDED : RESTS).exec(text)?.[1]
      if (status !== undefined) return `run ${status}`
      await pause(100)
    }
  }
}

const FINISH = { finish: { status: "complete", summary: "ok", files: [] } }
const ONE = "name: f\ndescription: attacks\nsteps:\n  - { id: s, type: agent, agent: a }\n"
const CHILD = "name: child\ndescription: a child\nsteps:\n  - { id: s, type: agent, agent: a }\n"
