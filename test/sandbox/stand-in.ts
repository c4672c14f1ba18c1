// This Worker replaces a deployment's own Worker with the SDK's class: a Durable Object with the same methods, backed by real processes
// on the machine that runs the tests. Only vitest.config.ts refers to it: neither the Worker nor the local server can be configured to use it.

import { HostSandboxes } from "./host-sandbox.ts"

const hosts = new HostSandboxes()

interface Asked {
  /** The object's id; the last three methods cover all of them. */
  readonly id: string
  readonly method: "exec" | "writeFile" | "readFile" | "destroy" | "running" | "names" | "clear"
  readonly args: readonly unknown[]
}

/** For the stand-in's object, and for tests that check what runs. */
export async function sandboxHost(request: { json(): Promise<unknown> }): Promise<Response> {
  const { id, method, args } = (await request.json()) as Asked
  const [first, second] = args.map(String)
  try {
    return Response.json({ value: (await answer(id, method, first ?? "", second ?? "")) ?? null })
  } catch (e) {
    return Response.json({ error: e instanceof Error ? e.message : String(e) })
  }
}

async function answer(id: string, method: Asked["method"], first: string, second: string): Promise<unknown> {
  switch (method) {
    case "exec":
      return hosts.get(id).exec(first)
    case "writeFile":
      return hosts.get(id).writeFile(first, second)
    case "readFile":
      return hosts.get(id).readFile(first)
    case "destroy":
      return hosts.get(id).destroy()
    case "clear":
      return hosts.destroy()
    case "running":
      return (await Promise.all(Array.from(hosts.byName.values(), (host) => host.running()))).flat()
    case "names":
      return Array.from(hosts.byName).flatMap(([name, host]) => (host.root === undefined ? [] : [name]))
  }
}

const OBJECT = `
import { DurableObject } from "cloudflare:workers"
export class Sandbox extends DurableObject {
  async #ask(method, args) {
    const id = this.ctx.id.toString()
    const answer = await this.env.HOST.fetch("http://host/", { method: "POST", body: JSON.stringify({ id, method, args }) })
    const { value, error } = await answer.json()
    if (error !== undefined) throw new Error(error)
    return value
  }
  exec(command) { return this.#ask("exec", [command]) }
  writeFile(path, content) { return this.#ask("writeFile", [path, content]) }
  readFile(path) { return this.#ask("readFile", [path]) }
  destroy() { return this.#ask("destroy", []) }
}
export default { fetch: () => new Response(null, { status: 404 }) }
`

export const SANDBOX_WORKER = {
  name: "machines",
  modules: [{ type: "ESModule" as const, path: "machines.mjs", contents: OBJECT }],
  compatibilityDate: "2026-07-30",
  durableObjects: { Sandbox: { className: "Sandbox", useSQLite: true } },
}
