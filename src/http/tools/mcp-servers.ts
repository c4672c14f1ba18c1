// Serves a tenant's MCP servers [T27]: registering one fetches its tools; a new list waits for approval by its hash.

import { McpServerBody } from "../../core/project/mcp-server-body.ts"
import { zoneFault } from "../../core/tool/policy/closed-hosts.ts"
import { isServerName } from "../../core/tool/mcp-tool.ts"
import { short } from "../../core/text/pointer.ts"
import type { McpResult, McpServers } from "../../ports/mcp.ts"
import { json } from "../middleware/body.ts"
import { outward } from "../middleware/outward.ts"
import { param, routes, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { words } from "../middleware/query.ts"
import { page } from "../middleware/page.ts"
import { NoBody } from "../../api/route/route.ts"
import { refuseIf } from "../runs/runs.ts"
import { connectMcpServer, finishMcpConnect } from "./mcp-connect.ts"
import { refuseServer, unsealed } from "./mcp-refusal.ts"
import { ApproveBody, mcpServers } from "../../api/mcp-servers.ts"

const servers = (c: Call): McpServers => c.get("tenant").mcp

export const listMcpServers = async (c: Call): Promise<Response> => page(c, await servers(c).list())

export async function getMcpServer(c: Call): Promise<Response> {
  const found = await servers(c).get(param(c, "server"))
  return found ? c.json(found) : refuse(c, NOT_FOUND)
}

export async function putMcpServer(c: Call): Promise<Response> {
  const name = param(c, "server")
  if (!isServerName(name))
    return refuse(
      c,
      invalid([
        { pointer: "", message: `${JSON.stringify(short(name))} is not a server name: use 1 to 63 letters, digits, "_", "." or "-"` },
      ]),
    )
  const body = json(c, McpServerBody)
  if (!body.ok) return refuse(c, body.error)
  const { approve = false, ...settings } = body.value
  // The tenant's object judges the rest of the address when it asks the server; only the request knows the host that it came to.
  for (const [pointer, url] of [
    ["/url", settings.url],
    ["/auth/issuer", settings.auth?.issuer ?? ""],
  ] as const) {
    const own = URL.canParse(url) ? zoneFault(new URL(url).hostname, outward(c)) : undefined
    if (own !== undefined) return refuse(c, invalid([{ pointer, message: `address refused: ${own}` }]))
  }
  const dry = words("dry", c.req.query("dry"), ["0", "1"])
  if (!dry.ok) return refuse(c, dry.error)
  const isDry = dry.value?.[0] === "1"
  const done = await (isDry ? servers(c).preview(name, settings) : servers(c).put(name, settings, approve)).catch((e: unknown) =>
    unsealed(c, e),
  )
  return done instanceof Response ? done : answer(c, done)
}

export async function refreshMcpServer(c: Call): Promise<Response> {
  const name = param(c, "server")
  const body = json(c, NoBody)
  if (!body.ok) return refuseIf(c, servers(c).get(name), body.error)
  return answer(c, await servers(c).refresh(name))
}

/** Approves a list by hash, so only the list that the caller saw is approved, not the server's current one. */
export async function approveMcpServer(c: Call): Promise<Response> {
  const name = param(c, "server")
  const body = json(c, ApproveBody)
  if (!body.ok) return refuseIf(c, servers(c).get(name), body.error)
  return answer(c, await servers(c).approve(name, body.value.hash))
}

export async function deleteMcpServer(c: Call): Promise<Response> {
  return (await servers(c).remove(param(c, "server"))) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

const answer = (c: Call, result: McpResult): Response => (result.ok ? c.json(result.server) : refuseServer(c, result))

export const MCP_SERVER_ROUTES = routes(mcpServers, {
  listMcpServers,
  getMcpServer,
  putMcpServer,
  deleteMcpServer,
  refreshMcpServer,
  approveMcpServer,
  connectMcpServer,
  finishMcpConnect,
})
