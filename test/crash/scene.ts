// The setting for the service's rounds: one server with its catalog, the peers outside, the kills, and the findings.
//
// A round records what was acknowledged before a kill and asks for it afterwards; `insist` is a client that does not give up.

import { checkAsked, checkDay, checkTotal, dayOf, toldBy } from "./books.ts"
import { Client, isEnd, type RunSeen } from "./client.ts"
import { checkJournal, readEvent, type Check } from "./evidence.ts"
import { checkTools } from "./tool-books.ts"
import { Peer, SLOW, TOKEN_USD } from "./peer.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import type { Victim } from "./victim.ts"

const PATIENCE_MS = 60_000
const PROVIDER = "peer"
/** More than all runs use together, also by the slice. */
const DAY = { usd: 640_000, tokens: 640_000_000 }
const MODELS = ["looker", "sender", "spender", "talker", "worker", SLOW]

const agent = (name: string, tools = "[]", more = ""): string =>
  `---\nname: ${name}\ndescription: part of the crash test\nmodel: ${PROVIDER}/${name}\ntools: ${tools}\n${more}---\nDo what the message says.\n`
const flow = (name: string, steps: readonly string[], more = ""): string =>
  `name: ${name}\ndescription: what the crash test kills\n${more}steps:\n${steps.map((it) => `  - { ${it} }\n`).join("")}`
const step = (id: string, by: string, more = ""): string => `id: ${id}, type: agent, agent: ${by}, task: "\${{task}}"${more}`

const CATALOG = {
  agents: {
    "looker.md": agent("looker", "look"),
    "sender.md": agent("sender", "note"),
    "spender.md": agent("spender", "ls", "max_output_tokens: 600\n"),
    "talker.md": agent("talker"),
    "worker.md": agent("worker"),
    [`${SLOW}.md`]: agent(SLOW),
  },
  flows: {
    "look.yaml": flow("look", [step("a", "looker")]),
    "note.yaml": flow("note", [step("a", "sender")]),
    "spend.yaml": flow(
      "spend",
      [1, 2, 3, 4, 5, 6, 7, 8].map((n) => step(`s${n}`, "spender")),
      "max_concurrent: 4\n",
    ),
    "talk.yaml": flow("talk", [step("a", "talker", ', session: "${{session}}"')]),
    "work.yaml": flow("work", [step("a", "worker")]),
    "plod.yaml": flow("plod", [step("a", SLOW), step("b", SLOW, ", blockedBy: a"), step("c", SLOW, ", blockedBy: b")]),
  },
  skills: {},
}

const NOTE = (url: string): object => ({
  description: "sends a report",
  parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"], additionalProperties: false },
  request: { method: "POST", url: `${url}/note`, body: { to: "${{args.to}}" } },
  effect: "write",
  untrusted: false,
  approval: "always",
})

const LOOK = (url: string): object => ({
  description: "looks at something",
  parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"], additionalProperties: false },
  request: { method: "GET", url: `${url}/look/\${{args.at}}` },
  effect: "read",
  untrusted: false,
})

export interface ServiceKill {
  readonly moment: string
  readonly downMs: number
}

export class Scene {
  readonly victim: Victim
  readonly client: Client
  readonly peer = new Peer()
  readonly checks: Check[] = []
  readonly kills: ServiceKill[] = []
  readonly runs: string[] = []
  #day = ""
  #seed: number

  constructor(victim: Victim, seed: number) {
    this.victim = victim
    this.client = new Client(victim.url)
    this.#seed = seed
  }

  async prepare(): Promise<void> {
    await this.peer.open()
    await this.victim.start()
    const { client, peer } = this
    await client.put(`/v1/settings/providers/${PROVIDER}`, { kind: "openai-compatible", baseUrl: `${peer.url}/v1`, apiKey: "none" })
    const price = { input: TOKEN_USD * 1e6, output: TOKEN_USD * 1e6 }
    await client.put("/v1/settings/prices", Object.fromEntries(MODELS.map((it) => [`${PROVIDER}/${it}`, price])))
    await client.put("/v1/tools/look", LOOK(peer.url))
    await client.put("/v1/tools/note", NOTE(peer.url))
    await client.put("/v1/catalog", CATALOG)
    await client.put("/v1/settings/budget", DAY)
    this.#day = await dayOf(client)
  }

  check(name: string, fault: string | undefined): void {
    this.checks.push({ name, fault })
  }

  /** From 0 to most, always the same for a given seed. */
  chance(most: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#seed / 2 ** 32) * (most + 1))
  }

  /** SIGKILL now; resolves when the server answers again. */
  async kill(moment: string): Promise<void> {
    const at = Date.now()
    await this.victim.killAndRestart("both")
    this.kills.push({ moment, downMs: this.victim.upSince - at })
  }

  /** Repeats until it returns a value; waits for a server that is down or goes down meanwhile. */
  async insist<T>(what: string, attempt: () => Promise<T | undefined>, ms = PATIENCE_MS): Promise<T> {
    const until = Date.now() + ms
    let last: unknown = "it gave nothing"
    for (;;) {
      await this.victim.up()
      try {
        const got = await attempt()
        if (got !== undefined) return got
      } catch (error) {
        last = error
      }
      if (Date.now() > until) throw new Error(`${what} did not come within ${ms / 1000} s: ${String(last)}; ${await this.victim.log()}`)
      await sleep(60)
    }
  }

  /** Sends a start again with the same key until one is answered [H4]. */
  async start(flow: string, task: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const id = await this.insist(`the start of ${task}`, async () => {
      const body = { task, autonomous: false, ...more }
      const { status, said } = await this.call("POST", `/v1/flows/${flow}/runs`, body, { "idempotency-key": `start-${task}` })
      if (status !== 202) throw new Error(`the start was answered ${status}: ${JSON.stringify(said)}`)
      return textIn(said, "id")
    })
    this.runs.push(id)
    return id
  }

  /** One try. */
  async call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) {
    const answer = await this.client.ask(method, path, body, headers)
    const text = await answer.text()
    const said: unknown = text === "" ? undefined : JSON.parse(text)
    return { status: answer.status, said }
  }

  status(id: string, wanted: (status: string) => boolean): Promise<RunSeen> {
    return this.insist(`the status of ${id}`, async () => {
      const run = await this.client.run(id)
      return wanted(run.status) ? run : undefined
    })
  }

  async ended(id: string): Promise<RunSeen> {
    return this.status(id, isEnd)
  }

  async events(id: string): Promise<RunEvent[]> {
    return (await this.client.journal(id)).map(readEvent)
  }

  /** After all rounds: every run has ended, its journal is complete, and it agrees with what the peers' books say. */
  async close(): Promise<void> {
    const { client, peer } = this
    for (const id of this.runs) for (const it of checkJournal(id, await client.journal(id))) this.checks.push(it)
    this.check("the peer could read every request", peer.strange[0])
    const told = await toldBy(client)
    this.checks.push(
      ...checkAsked(told, peer.asked),
      await checkTotal(client, told),
      ...(await checkDay(client, told, peer.billed(), this.#day)),
      ...(await checkTools(client, told, peer)),
    )
  }
}

/** A required field of an answer. */
export function textIn(said: unknown, field: string): string {
  const value = typeof said === "object" && said !== null && field in said ? Object.getOwnPropertyDescriptor(said, field)?.value : undefined
  if (typeof value !== "string") throw new Error(`no ${field} in ${JSON.stringify(said)}`)
  return value
}

export const sleep = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))
