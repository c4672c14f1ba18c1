// Fetches the tools of an MCP server [T27]: the usable ones under a hash, or the reason why there is no list. Uses the network.

import { defined } from "../../core/defined.ts"
import { canonical } from "../../core/json.ts"
import { Redactor } from "../../core/secrets/redact.ts"
import { carried, readList, type McpServerSettings, type ToolList } from "../../core/tool/mcp-tool.ts"
import { McpFault, type McpPeer, type McpRefusal, type McpTarget } from "../../ports/mcp.ts"
import type { ConnectionTokens } from "../../ports/tenant/mcp-connections.ts"
import type { Net } from "../../ports/net.ts"
import { sha256 } from "../sha256.ts"
import { Breath } from "../../ports/breath.ts"
import { signalAfter } from "../../ports/timers.ts"

export interface HashedList {
  readonly list: ToolList
  /** SHA-256 of its tools. */
  readonly hash: string
}

/** The result if a person must connect the server, or connect it again. */
export interface Unconnected {
  readonly ok: false
  readonly code: "connect"
  readonly message: string
  /** How the server asked for a token. */
  readonly challenge?: string
}

export interface LookDeps {
  readonly peer: McpPeer
  readonly net: Net
  /** Scope → values, newest first. */
  readonly vault: () => Promise<Readonly<Record<string, readonly string[]>>>
  readonly connections: ConnectionTokens
  /** Time limit for listing a server, in milliseconds; default 20 s. */
  readonly patience?: number
}

const PATIENCE = 20_000 // limit: milliseconds of a server's list → `mcp_unreachable`
const MAX_METADATA = 64 * 1024 // limit: bytes of a protected resource's metadata → it is passed over

export const hashed = async (list: ToolList): Promise<HashedList> => ({ list, hash: await sha256(canonical(list.tools)) })

export const refusal = (code: McpRefusal["code"], message: string): McpRefusal => ({ ok: false, code, message })

/** Fetches the tools. A server that names an authorization server needs a person to connect it, even without such settings. */
export async function look(
  deps: LookDeps,
  name: string,
  { url, auth, allow }: McpServerSettings,
): Promise<HashedList | Unconnected | McpRefusal> {
  const vault = await deps.vault()
  // A server may echo the secret it was sent.
  const redactor = new Redactor(Object.entries(vault))
  const connects = auth?.grant === "authorization_code"
  const { host } = new URL(url)
  let carries: Omit<McpTarget, "url"> = {}
  if (connects)
    carries = { connection: { token: () => deps.connections.token(name, url), renewed: (old) => deps.connections.token(name, url, old) } }
  else if (auth?.scope !== undefined) {
    const secret = Object.hasOwn(vault, auth.scope) ? vault[auth.scope]?.[0] : undefined
    if (secret === undefined)
      return refusal("scope", `the vault has no value for the scope ${auth.scope}: store it before registering the server`)
    carries = carried(auth, secret)
  }
  const patience = deps.patience ?? PATIENCE
  const signal = signalAfter(patience)
  try {
    // Before anything of it is cut.
    const listed = await new Breath(signal).through(
      redactor.jsonPieces(await deps.peer.list({ url, ...carries, redactor: () => redactor }, deps.net, signal)),
    )
    const list = readList(listed, allow)
    if (!list.ok) return refusal("unfit", `the tools of ${host} cannot be registered: ${list.error}`)
    return await hashed(list.value)
  } catch (e) {
    if (signal.aborted) return refusal("unreachable", `the MCP server at ${host} did not answer within ${patience / 1000} s`)
    if (!(e instanceof McpFault)) throw e
    const { challenge } = e
    if (e.kind === "unauthorized" && (connects || (auth === undefined && (await namesItsIssuer(deps, url, challenge, signal)))))
      return {
        ok: false,
        code: "connect",
        message: `the MCP server at ${host} wants a person to connect it: POST /v1/mcp-servers/${name}/connect`,
        ...defined({ challenge }),
      }
    return refusal(e.kind === "refused" ? "refused" : "unreachable", redactor.text(e.message))
  }
}

/** RFC 9728: a server that wants nothing but a fixed key names no issuer, in its challenge or where its metadata would be. */
async function namesItsIssuer({ net }: LookDeps, url: string, challenge = "", signal: AbortSignal): Promise<boolean> {
  if (/^(bearer|dpop)\b.*\bresource_metadata=/is.test(challenge)) return true
  const { origin, pathname } = new URL(url)
  for (const path of new Set([pathname.replace(/\/$/, ""), ""])) {
    const metadata = `${origin}/.well-known/oauth-protected-resource${path}`
    const found = await net.fetch({ url: metadata, maxBytes: MAX_METADATA }, signal).catch(() => undefined)
    if (found?.status === 200 && /"authorization_servers"\s*:\s*\[\s*"/.test(found.body.text().whole())) return true
  }
  return false
}
