// The Worker under test as a client sees it: calls with the local key, runs to wait for, sockets.

import { SELF } from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"

export const LOCAL = "sl_local_dev"

export const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}, key = LOCAL): Promise<Response> =>
  SELF.fetch(`http://sluice${path}`, {
    method,
    headers: { ...(key === "" ? {} : { authorization: `Bearer ${key}` }), "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

export async function ask<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, key = LOCAL): Promise<T> {
  const r = await call(method, path, body, headers, key)
  const text = await r.text()
  if (!r.ok) throw new Error(`${method} ${path}: ${r.status} ${text}`)
  return JSON.parse(text) as T
}

export const agent = (name: string, tools = "write"): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\ntools: ${tools}\n---\nDo it. \${{task}}\n`
export const flow = (name: string, steps: string, head = "", tail = ""): string =>
  `name: ${name}\ndescription: d\n${head}steps:\n${steps}${tail}`

export const start = async (name: string, body: object = {}, key = LOCAL): Promise<string> =>
  (await ask<{ id: string }>("POST", `/v1/flows/${name}/runs`, { task: "go", ...body }, {}, key)).id
export const runOf = (id: string): Promise<RunView> => ask<RunView>("GET", `/v1/runs/${id}`)
export const eventsOf = async (id: string): Promise<RunEvent[]> =>
  (await ask<{ data: RunEvent[] }>("GET", `/v1/runs/${id}/events?limit=1000`)).data
export const stub = (id: string, tenant = "local") => env.RUN.get(env.RUN.idFromName(`${tenant}/${id}`))

export async function until(id: string, right: (run: RunView) => boolean): Promise<RunView> {
  for (let i = 0; i < 3_000; i++) {
    const seen = await runOf(id)
    if (right(seen)) return seen
    await new Promise((r) => setTimeout(r, 10))
  }
  throw new Error(`run ${id} does not get there: ${JSON.stringify(await runOf(id))}`)
}
export const ended = (run: RunView): boolean => run.ended !== undefined

export interface Heard {
  readonly messages: Record<string, unknown>[]
  readonly code: number
}

/** Reads a socket until it closes, or until `stop` returns true: then it closes the socket. `word`: the reply to each message. */
export async function socket(
  path: string,
  headers: Record<string, string> = {},
  stop: (received: number) => boolean = () => false,
  word?: string,
): Promise<Heard> {
  const r = await SELF.fetch(`http://sluice${path}`, { headers: { upgrade: "websocket", ...headers } })
  const ws = r.webSocket
  if (!ws) throw new Error(`${path}: ${r.status} ${await r.text()}`)
  const messages: Record<string, unknown>[] = []
  return new Promise((resolve) => {
    ws.addEventListener("message", ({ data }) => {
      messages.push(JSON.parse(String(data)))
      if (word !== undefined) ws.send(word)
      if (!stop(messages.length)) return
      ws.close(1000)
      resolve({ messages, code: 0 })
    })
    ws.addEventListener("close", ({ code }) => resolve({ messages, code }))
    ws.accept()
  })
}
