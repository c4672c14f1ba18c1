// Identifies the caller by a per-run token [H1] or a chat token [P9]. A token gives access to the few paths listed here; everything else is 401.

import type { Caller, InstanceServices } from "../../ports/services.ts"

const TOKEN_PATH = /^\/v1\/runs\/([^/]+)(?:\/events)?$/
const PUBLIC_PATH = /^\/v1\/runs\/([^/]+)(?:\/events|\/files(?:\/.+)?|\/interactions(?:\/([^/]+))?)?$/

/** [V20] Whoever said so when the token was made may say how good the run is. */
const FEEDBACK_PATH = /^\/v1\/runs\/([^/]+)\/feedback$/

/** [P9] */
const CHAT_PATH = /^\/v1\/flows\/([^/]+)\/(?:(?:agui|chat)|chat\/[^/]+\/stream)$/

export interface TokenCaller {
  readonly caller: Caller
  /** The token belongs to another run or flow (404). */
  readonly other: boolean
}

/** The caller of a token; undefined: the request has no token, or it gives no access here (401). */
export async function tokenCaller(
  services: InstanceServices,
  method: string,
  url: URL,
  bearer: string | undefined,
): Promise<TokenCaller | undefined> {
  const [, judged] = method === "POST" ? (FEEDBACK_PATH.exec(url.pathname) ?? []) : []
  if (judged !== undefined && bearer?.includes(".") === true) return feedbackCaller(services, judged, bearer)
  const chat = bearer?.includes(".") === true ? await chatCaller(services, method, url.pathname, bearer) : undefined
  if (chat) return chat
  // No key has a dot. A key in a header takes precedence over a token in the address.
  const token = bearer === undefined ? url.searchParams.get("token") : bearer.includes(".") ? bearer : null
  const [, run, interaction] = PUBLIC_PATH.exec(url.pathname) ?? []
  const reads = method === "GET" || method === "HEAD"
  if (token === null || run === undefined || !(reads || (method === "POST" && interaction !== undefined))) return undefined
  const said = await services.runTokenOf(token)
  const isPublic = said?.caller.view === "public"
  if (!said || (!isPublic && (bearer !== undefined || !reads || !TOKEN_PATH.test(url.pathname)))) return undefined
  if (!(await services.holds(said.caller))) return undefined
  return { caller: said.caller, other: said.run !== run }
}

/** As a Bearer only: what changes something is in no address. The handler knows whether the run is of the chat's thread. */
async function feedbackCaller(services: InstanceServices, run: string, token: string): Promise<TokenCaller | undefined> {
  const said = await services.runTokenOf(token)
  const caller = said?.caller ?? (await services.chatTokenOf(token))
  if (!caller?.feedback || !(await services.holds(caller))) return undefined
  return { caller: { ...caller, scopes: ["runs:write"] }, other: said !== undefined && said.run !== run }
}

async function chatCaller(services: InstanceServices, method: string, path: string, token: string): Promise<TokenCaller | undefined> {
  const [, flow] = CHAT_PATH.exec(path) ?? []
  const isStream = path.endsWith("/stream")
  if (flow === undefined || !(isStream ? method === "GET" || method === "HEAD" || method === "DELETE" : method === "POST")) return undefined
  const caller = await services.chatTokenOf(token)
  if (!caller?.chat || !(await services.holds(caller))) return undefined
  return { caller, other: decoded(flow) !== caller.chat.flow }
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
