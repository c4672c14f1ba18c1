// The client that the official suite runs, one process for each scenario: our registration, connection and calls against its server. It does
// what an administrator and a run would: registers, gives consent, approves, calls every tool, and answers every question with its defaults.

import { mcpPeer } from "../../src/engine/net/mcp-peer.ts"
import { netOf } from "../../src/engine/net/net.ts"
import { isObject, type Json, type JsonObject } from "../../src/core/json.ts"
import type { AnsweredQuestion, Elicitation } from "../../src/core/tool/elicitation.ts"
import type { McpToolDef } from "../../src/core/tool/tool-def.ts"
import { McpFault } from "../../src/ports/mcp.ts"
import { memoryMcp } from "../support/engine/memory-mcp.ts"

/** The suite runs all scenarios at once, on however few processors there are. */
const PATIENCE = 90_000
const REDIRECT = "http://localhost:3999/v1/mcp-callback"
const net = netOf({ allowedPrivateHosts: ["127.0.0.1", "localhost"] })
const soon = (): AbortSignal => AbortSignal.timeout(PATIENCE)
const given: unknown = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}")
const context: Record<string, unknown> = isObject(given) ? given : {}
const url = new URL(process.argv.at(-1) ?? "").href
const stand = memoryMcp({ peer: mcpPeer, net, hosts: ["127.0.0.1", "localhost"], patience: PATIENCE })
stand.clock.now = Date.now()

const auth = await authOf()
const put = await stand.servers.put("suite", { url, ...(auth === undefined ? {} : { auth }) }, true)
if (!put.ok) throw new Error(put.message)
if (put.server.connection?.status === "needed") await connect()
const wanted = Array.isArray(context["toolCalls"]) ? context["toolCalls"] : undefined
for (const { def } of stand.tools.rows.values())
  if (def.kind === "mcp") for (const args of argsOf(def)) await call(def, args).catch((e: unknown) => console.error(def.tool, e))

/** A client that the scenario says is registered already. */
async function authOf() {
  const { client_id: id, client_secret: secret } = context
  if (typeof id !== "string") return undefined
  if (typeof secret === "string") stand.secrets.set("suite_client", secret)
  const known = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url)).then((r) => (r.ok ? r.json() : undefined))
  const issuers: unknown = isObject(known) ? known["authorization_servers"] : undefined
  const issuer = Array.isArray(issuers) && typeof issuers[0] === "string" ? issuers[0] : new URL(url).origin
  return { grant: "authorization_code", client_id: id, issuer, ...(typeof secret === "string" ? { scope: "suite_client" } : {}) } as const
}

/** The suite's authorization server sends the browser back at once. */
async function connect(again = true): Promise<void> {
  const begun = await stand.servers.connect("suite", { redirect: REDIRECT, state: "state", expires: stand.clock.now + 600_000 })
  if (!begun.ok) throw new Error(begun.message)
  const back = await fetch(begun.url, { redirect: "manual" })
  const said = Object.fromEntries(new URL(back.headers.get("location") ?? "").searchParams)
  if (said["state"] !== "state") throw new Error("the state came back altered")
  const ended = await stand.servers.connected("suite", { state: "state", ...said })
  if (!ended.ok) throw new Error(ended.message)
  if (ended.unlisted === undefined) return
  if (!again) throw new Error(ended.unlisted)
  await connect(false)
}

async function call(def: McpToolDef, args: JsonObject): Promise<void> {
  const answered: AnsweredQuestion[] = []
  let state: string | undefined
  const connection = { token: () => stand.links.token("suite", url), renewed: (old: string) => stand.links.token("suite", url, old) }
  for (let round = 1; round <= 5; round++) {
    const asking = { answered, ...(state === undefined ? {} : { state }) }
    const target = { url, ...(def.auth === undefined ? {} : { connection }) }
    const asked = () => mcpPeer.call(target, { tool: def.tool, args, parameters: def.parameters, asking }, net, soon())
    const said = await asked().catch(async (e: unknown) => {
      if (!(e instanceof McpFault && e.kind === "unauthorized")) throw e
      await connect()
      return asked()
    })
    if (!("questions" in said)) return
    state = said.state
    for (const question of said.questions)
      answered.push({ ...question, round, reply: { action: "accept", content: filled(question.asked) } })
  }
}

function argsOf({ tool, parameters }: McpToolDef): readonly JsonObject[] {
  if (wanted) return wanted.flatMap((one) => (isObject(one) && one["name"] === tool ? [(one["arguments"] ?? {}) as JsonObject] : []))
  const properties = isObject(parameters["properties"]) ? parameters["properties"] : {}
  return [Object.fromEntries(Object.entries(properties).map(([name, field], i) => [name, valueOf(field, i)]))]
}

function filled(asked: Elicitation): Record<string, string | number | boolean | string[]> {
  const properties = asked.mode === "form" && isObject(asked.requested["properties"]) ? asked.requested["properties"] : {}
  return Object.fromEntries(
    Object.entries(properties).map(([name, field], i) => [name, (isObject(field) ? field["default"] : undefined) ?? valueOf(field, i)]),
  ) as Record<string, string>
}

function valueOf(field: unknown, n: number): Json {
  const type = isObject(field) ? field["type"] : undefined
  return type === "number" || type === "integer"
    ? n + 1
    : type === "boolean"
      ? true
      : type === "array"
        ? []
        : type === "object"
          ? {}
          : "text"
}
