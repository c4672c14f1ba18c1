// What the effects page meets: a service that takes notes and takes them back, and one that hangs up without an answer.

import { once } from "node:events"
import { createServer } from "node:http"
import type { World } from "../world.ts"

export interface Service {
  /** Bodies of requests, in their order: `note first`, `back first`. */
  readonly had: string[]
  start(scene: string, effects: "staged" | "live"): Promise<string>
  /** The run's ledger as `tool state`, in the order of its calls. */
  ledger(run: string): Promise<readonly { readonly key: string; readonly tool: string; readonly state: string; readonly by?: string }[]>
  /** Waits until the ledger is so. */
  until(run: string, is: (states: readonly string[]) => boolean): Promise<readonly string[]>
  close(): Promise<void>
}

const TEXT = { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false }

export async function startService({ url, key, api }: World): Promise<Service> {
  const had: string[] = []
  const server = createServer((incoming, response) => {
    let body = ""
    incoming.setEncoding("utf8")
    incoming.on("data", (chunk: string) => (body += chunk))
    incoming.on("end", () => {
      const { text } = JSON.parse(body) as { readonly text: string }
      had.push(`${incoming.url?.slice(1)} ${text}`)
      if (incoming.url === "/letter") return response.destroy()
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ id: had.length }))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const at = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const tool = (path: string) => ({
    description: `Sends a ${path}.`,
    parameters: TEXT,
    request: { method: "POST", url: `${at}/${path}`, body: { text: "${{args.text}}" } },
    effect: "write",
    untrusted: false,
    approval: "never",
  })
  await api("PUT", "/v1/tools/note", { ...tool("note"), undo: { method: "POST", url: `${at}/back`, body: { text: "${{args.text}}" } } })
  await api("PUT", "/v1/tools/letter", tool("letter"))
  const put = async (path: string, body: string, type: string): Promise<void> => {
    const answer = await fetch(url + path, { method: "PUT", body, headers: { authorization: `Bearer ${key}`, "content-type": type } })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  const agent = "---\nname: sender\ndescription: Sends\ntools: [note, letter]\n---\nDo ${{task}}\n"
  await put("/v1/agents/sender", agent, "text/markdown")
  await put("/v1/flows/send", "name: send\ndescription: Sends.\nsteps:\n  - { id: send, type: agent, agent: sender }\n", "application/yaml")
  const ledger: Service["ledger"] = async (run) =>
    ((await api("GET", `/v1/runs/${run}/effects`)) as { data: Awaited<ReturnType<Service["ledger"]>> }).data
  return {
    had,
    ledger,
    async start(scene, effects) {
      const wish = { task: `Ticket 50907. scene:${scene}`, effects }
      return ((await api("POST", "/v1/flows/send/runs", wish)) as { readonly id: string }).id
    },
    async until(run, is) {
      for (;;) {
        const states = (await ledger(run)).map(({ state }) => state)
        if (is(states)) return states
        const { status } = (await api("GET", `/v1/runs/${run}`)) as { readonly status: string }
        if (status === "failed") throw new Error(`the run has failed; its ledger is ${states.join(", ")}`)
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
