// mcpTool: turns a registered tool of an MCP server into a tool that runs [T27, D31]. Text and images reach the model unchanged; other
// content becomes a note; structured content goes into the details. An error answered by the server
// keeps its content; an unreachable server is a tool error too [A4].

import { defined } from "../../core/defined.ts"
import { isObject, type Json } from "../../core/json.ts"
import { carried, mcpSpec, scopeOf } from "../../core/tool/mcp-tool.ts"
import type { ContentPart } from "../../core/run/event-parts.ts"
import type { McpToolDef } from "../../core/tool/tool-def.ts"
import { McpFault, type McpAnswer, type McpPeer, type McpProgress, type McpTarget } from "../../ports/mcp.ts"
import { text, ToolFailure, type Tool, type ToolOutcome, type ToolPowers } from "../../ports/tool.ts"

export function mcpTool(def: McpToolDef, peer: McpPeer): Tool {
  return {
    ...mcpSpec(def),

    async execute(_callId, params, signal, onUpdate, powers) {
      const { net, asking, redactor } = powers
      if (net === undefined) throw new Error(`${def.name} cannot be called: no network is available here`)
      const target = { url: def.url, ...(await authOf(def, powers)), ...defined({ redactor }) }
      try {
        const state = asking && asking.answered.length > 0 ? await asking.state() : undefined
        const call = {
          tool: def.tool,
          args: params,
          parameters: def.parameters,
          ...defined({ asking: asking && { answered: asking.answered, ...defined({ state }) } }),
        }
        const answer = await peer.call(target, call, net, signal, (p) => onUpdate?.(shown(p)))
        if (!("questions" in answer)) return outcomeOf(answer, def)
        asking?.ask(answer.questions, answer.state)
        return text("A person is asked first.")
      } catch (e) {
        if (e instanceof McpFault && e.kind === "unauthorized" && def.auth?.grant !== undefined)
          throw new Error(connectAgain(def), { cause: e })
        if (e instanceof McpFault && e.kind === "unknown_tool") throw new Error(`${e.message}\n${lookAgain(def)}`, { cause: e })
        throw e
      }
    },
  }
}

async function authOf(def: McpToolDef, powers: ToolPowers): Promise<Pick<McpTarget, "secretHeaders" | "oauth" | "connection">> {
  const { auth, server, url } = def
  if (auth === undefined) return {}
  if (auth.grant === "authorization_code") {
    const connection = powers.connection?.(server, url)
    const token = await connection?.token()
    if (connection === undefined || token === undefined) throw new Error(connectAgain(def))
    return { connection: { ...connection, token: async () => token } }
  }
  const scope = scopeOf(server, auth)
  const value = await powers.secrets?.get(scope)
  if (value === undefined) throw new Error(`${def.name} needs the secret scope ${scope}, which has no value`)
  return carried(auth, value)
}

const connectAgain = ({ name, server }: McpToolDef): string =>
  `${name} was not called: the server ${server} is not connected, or does not take its connection any more. An administrator can connect it again with POST /v1/mcp-servers/${server}/connect`

function outcomeOf(answer: McpAnswer, def: McpToolDef): ToolOutcome {
  const content = answer.content.map(partOf)
  // Without this, the model would see nothing of a structured-only answer.
  if (content.length === 0 && answer.structured !== undefined) content.push(note(JSON.stringify(answer.structured)))
  if (answer.isError && content.some((part) => part.type === "text" && isUnknown(part.text))) content.push(note(lookAgain(def)))
  if (answer.isError) throw new ToolFailure(content, answer.structured)
  return { content, ...defined({ details: answer.structured }) }
}

/** Servers built on the official library report it in an answer, not as a protocol error. */
const isUnknown = (text: string): boolean => text.length < 1_000 && /-32602/.test(text) && /unknown tool|\bnot found\b/i.test(text)

const lookAgain = (def: McpToolDef): string =>
  `[the server ${def.server} no longer has the tool ${def.tool}: an administrator can look again with POST /v1/mcp-servers/${def.server}/refresh]`

/** [T27] An odd part is named, and the others are kept. */
function partOf(block: unknown): ContentPart {
  if (typeof block === "string") return note(block)
  if (!isObject(block)) return note("[a content block that is not an object]")
  const { type, text, data, mimeType } = block
  if (type === "text" || (type === undefined && typeof text === "string"))
    return note(typeof text === "string" ? text : "[a text without a text]")
  if (type === "image") return imageOf(data, mimeType)
  if (type === "audio") return note(`[audio, ${said(mimeType)}, ${sizeOf(data)}]`)
  if (type === "resource_link") {
    const about = typeof block["description"] === "string" ? `: ${block["description"]}` : ""
    return note(`[link to the resource ${said(block["uri"])}${about}]`)
  }
  if (type === "resource" && isObject(block["resource"])) {
    const { uri, mimeType: kind, text: whole, blob } = block["resource"]
    if (typeof whole === "string") return note(`[resource ${said(uri)}]\n${whole}`)
    return note(`[resource ${said(uri)}, ${said(kind)}, ${sizeOf(blob)}]`)
  }
  return note(`[a content block of the kind ${said(type)}]`)
}

function imageOf(data: unknown, type: unknown): ContentPart {
  // Some servers send what a page would show.
  const [, ofUrl, rest] = typeof data === "string" ? (/^data:([\w.+/-]{1,100});base64,([^]*)$/.exec(data) ?? []) : []
  const bytes = rest ?? data
  const mimeType = typeof type === "string" && type !== "" ? type : ofUrl
  if (typeof bytes !== "string" || bytes === "") return note(`[an image without data, ${said(mimeType)}]`)
  if (mimeType === undefined) return note(`[an image of an unknown type, ${sizeOf(bytes)}]`)
  const clean = bytes.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(clean) || clean.replaceAll("=", "").length % 4 === 1)
    return note(`[an image whose data is no base64, ${said(mimeType)}]`)
  return { type: "image", data: clean, mimeType }
}

const note = (text: string): ContentPart => ({ type: "text", text })
const said = (value: unknown): string => (typeof value === "string" && value !== "" ? value : "unknown")
const sizeOf = (base64: unknown): string => `${typeof base64 === "string" ? Math.floor((base64.length * 3) / 4) : 0} bytes`

function shown(progress: McpProgress): ToolOutcome {
  const { progress: done, total, message } = progress
  const count = total === undefined ? `${done}` : `${done} of ${total}`
  const details: Json = { progress: done, ...defined({ total }) }
  return { content: [note(message === undefined || message === "" ? count : `${message} (${count})`)], details }
}
