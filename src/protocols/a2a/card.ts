// Builds the agent card of a flow [P12]: its description, address and protocol. Like everything of a tenant, it needs a key.

import { err, ok, type Result } from "../../core/result.ts"
import { sha256 } from "../../engine/sha256.ts"
import { faultOfRefusal, type A2aFault } from "./fault.ts"
import { addressAt } from "../../http/middleware/address.ts"
import { param, type Call } from "../../http/middleware/call.ts"
import { matches } from "../../http/middleware/download.ts"
import { NOT_FOUND, refuse } from "../../http/middleware/problem.ts"
import { flowAt, type FlowTarget } from "../../http/runs/begin-run.ts"

/** Characters of the flow's hash that tell its versions apart. */
const VERSION_CHARS = 16

/** A draft's flow is known by its pins, which have no description. */
async function cardFlow(c: Call, target: FlowTarget): Promise<{ id: string; hash: string; description?: string } | undefined> {
  const { catalog } = c.get("tenant")
  if (target.draft === undefined) return catalog.read("flow", target.flow, target.revision)
  const pinned = await catalog.pin(target, { rehearse: false })
  return pinned.ok ? pinned.pins.flow : undefined
}

async function cardOf(c: Call, name: string): Promise<Result<object, A2aFault>> {
  const target = flowAt(name)
  const found = target && (await cardFlow(c, target))
  if (!found) return err(faultOfRefusal(NOT_FOUND))
  const url = addressAt(c, `/a2a/${encodeURIComponent(name)}`)
  const description = found.description ?? found.id
  const modes = ["text/plain", "application/json"]
  return ok({
    name: found.id,
    description,
    version: found.hash.slice(0, VERSION_CHARS),
    supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({ url, protocolBinding, protocolVersion: "1.0" })),
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
    securitySchemes: { key: { httpAuthSecurityScheme: { scheme: "Bearer", description: "A key of the tenant." } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [{ id: found.id, name: found.id, description, tags: ["flow"] }],
  })
}

export async function readCard(c: Call): Promise<Response> {
  const card = await cardOf(c, param(c, "flow"))
  if (!card.ok) return refuse(c, NOT_FOUND)
  const json = JSON.stringify(card.value)
  const etag = `"${await sha256(new TextEncoder().encode(json))}"`
  const headers = { etag, "cache-control": "private, max-age=60" }
  if (matches(c.req.header("if-none-match"), etag)) return new Response(null, { status: 304, headers })
  return new Response(json, { headers: { ...headers, "content-type": "application/json" } })
}
