// A tenant's MCP servers [T27]: registering one asks it for its tools; a list that changed later waits for an approval by its hash.

import { z } from "zod"
import { isServerName } from "../../core/tool/mcp-tool.ts"
import { parseApprovalRule } from "../../core/policy/approval-rule.ts"
import type { ApprovalRule } from "../../core/policy/policy.ts"
import { short } from "../../core/text/pointer.ts"
import type { McpResult, McpServers } from "../../ports/mcp.ts"
import { json } from "../middleware/body.ts"
import { param, type Call } from "../middleware/call.ts"
import { invalid, NOT_FOUND, refuse } from "../middleware/problem.ts"
import { page } from "../middleware/page.ts"
import { NoBody, refuseIf } from "../runs/runs.ts"

const Approval = z.unknown().transform((value, c): ApprovalRule => {
  const rule = parseApprovalRule(value)
  if (rule.ok) return rule.value
  c.addIssue(rule.error.suggestion === undefined ? rule.error.message : `${rule.error.message} (${rule.error.suggestion})`)
  return z.NEVER
})

export const Settings = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2048)
    .transform((text, c) => {
      if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text).href
      c.addIssue("must be an http(s) address: the server's streamable HTTP endpoint")
      return z.NEVER
    }),
  auth: z
    .strictObject({
      scope: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "must be the name of a secret's scope"),
      header: z
        .string()
        .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "is no header name")
        .refine((name) => !OF_THE_PROTOCOL.test(name), "is set by the protocol or the connection")
        .exactOptional(),
      scheme: z
        .string()
        .regex(/^[A-Za-z0-9_-]{0,40}$/, "must be one word, such as Bearer")
        .exactOptional(),
    })
    .exactOptional(),
  effect: z.enum(["none", "read", "write"]).exactOptional(),
  untrusted: z.boolean().exactOptional(),
  approval: Approval.exactOptional(),
  allow: z.array(z.string().min(1).max(128)).min(1).max(200).exactOptional(),
  timeout: z.int().min(1_000).max(600_000).exactOptional(),
})

const OF_THE_PROTOCOL =
  /^(mcp-.*|accept|content-type|last-event-id|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-length|cf-.*|x-forwarded-.*)$/i

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
        { pointer: "", message: `${JSON.stringify(short(name))} is no server's name: letters, digits, "_", "." and "-", at most 63` },
      ]),
    )
  const body = json(c, Settings)
  if (!body.ok) return refuse(c, body.error)
  return answer(c, await servers(c).put(name, body.value))
}

export async function refreshMcpServer(c: Call): Promise<Response> {
  const name = param(c, "server")
  const body = json(c, NoBody)
  if (!body.ok) return refuseIf(c, servers(c).get(name), body.error)
  return answer(c, await servers(c).refresh(name))
}

export const Seen = z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/, "must be the SHA-256 that pending shows") })

/** By hash: what is approved is what was seen, not what the server says by now. */
export async function approveMcpServer(c: Call): Promise<Response> {
  const name = param(c, "server")
  const body = json(c, Seen)
  if (!body.ok) return refuseIf(c, servers(c).get(name), body.error)
  return answer(c, await servers(c).approve(name, body.value.hash))
}

export async function deleteMcpServer(c: Call): Promise<Response> {
  return (await servers(c).remove(param(c, "server"))) ? c.body(null, 204) : refuse(c, NOT_FOUND)
}

function answer(c: Call, result: McpResult): Response {
  if (result.ok) return c.json(result.server)
  const { code, message } = result
  switch (code) {
    case "not_found":
      return refuse(c, NOT_FOUND)
    case "not_pending":
      return refuse(c, { code: "not_pending", detail: message })
    case "unreachable":
      return refuse(c, { code: "mcp_unreachable", detail: message })
    case "refused":
    case "scope":
    case "unfit": {
      const pointer = { refused: "/url", scope: "/auth/scope", unfit: "/allow" }[code]
      return refuse(c, invalid([{ pointer, message }]))
    }
  }
}
