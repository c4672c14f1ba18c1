// Signs state that the MCP server needs later, so that the client stores it and sends it back [threat 18]. Without session tables, any
// isolate can handle the next request.

import { canonical } from "../core/json.ts"
import { sha256 } from "../engine/sha256.ts"
import type { McpCall } from "../ports/services.ts"

/** `Mcp-Session-Id` of revision 2025-11-25: what the client declared at `initialize`. */
export interface McpSession {
  /** Random, so keys derived from it never collide with another session's. */
  readonly id: string
  /** The client can ask its user with a form. */
  readonly asks: boolean
}

const DAY = 24 * 60 * 60 * 1000
const SESSION_DAYS = 7 // limit: days of an MCP session → the session is unknown
/** How long an answer may take. The question itself stays open for others. */
const STATE_DAYS = 1 // limit: days of a signed state → the state is refused

/** Signs a session; undefined: this Worker has no signing key, so it has no sessions. */
export const signSession = ({ tenant }: McpCall, { id, asks }: McpSession): Promise<string | undefined> =>
  tenant.words.sign("mcp session", { id, asks: asks ? "yes" : "" }, SESSION_DAYS * DAY)

export async function readSession({ tenant }: McpCall, token: string): Promise<McpSession | undefined> {
  const said = await tenant.words.read("mcp session", token)
  return typeof said?.["id"] === "string" ? { id: said["id"], asks: said["asks"] === "yes" } : undefined
}

/** Signs the id of a question on a call's stream (protocol 2025-11-25), because the answer arrives in a separate request, at any isolate. */
export const signQuestion = ({ tenant }: McpCall, session: McpSession, run: string, interaction: string): Promise<string | undefined> =>
  tenant.words.sign("mcp question", { session: session.id, run, interaction }, STATE_DAYS * DAY)

export async function readQuestion(
  { tenant }: McpCall,
  session: McpSession,
  token: string,
): Promise<{ readonly run: string; readonly interaction: string } | undefined> {
  const said = await tenant.words.read("mcp question", token)
  const { run, interaction } = said ?? {}
  return said?.["session"] === session.id && typeof run === "string" && typeof interaction === "string" ? { run, interaction } : undefined
}

/** `requestState` of revision 2026-07-28: the run that the call continues. It is bound to the key and to the exact call. */
export const signState = async ({ tenant, caller }: McpCall, tool: string, args: unknown, run: string): Promise<string | undefined> =>
  tenant.words.sign("mcp state", { run, key: keyOf(caller), call: await digestOf(tool, args) }, STATE_DAYS * DAY)

/** Reads a state; undefined: it is altered, expired, or from another key or call. */
export async function readState({ tenant, caller }: McpCall, tool: string, args: unknown, state: string): Promise<string | undefined> {
  const said = await tenant.words.read("mcp state", state)
  const { run, key, call } = said ?? {}
  return typeof run === "string" && key === keyOf(caller) && call === (await digestOf(tool, args)) ? run : undefined
}

const keyOf = ({ keyId, name }: McpCall["caller"]): string => keyId ?? name
const digestOf = (tool: string, args: unknown): Promise<string> => sha256(canonical([tool, args ?? {}]))

/** The Idempotency-Key of a call in a session: a repeated call and a cancellation both find the run. */
export const callKey = async (session: McpSession, request: string | number): Promise<string> =>
  `mcp:${await sha256(canonical([session.id, request]))}`
