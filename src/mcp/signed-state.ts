// What the MCP server must know of a client later and does not keep: it goes out signed and comes back [threat 18]. No store, no session
// table: any isolate can take the next request.

import { canonical } from "../core/json.ts"
import { sha256 } from "../engine/sha256.ts"
import type { McpCall } from "../ports/house.ts"

/** `Mcp-Session-Id` of revision 2025-11-25: what the client said of itself when it began. */
export interface Session {
  /** Made of dice: what is derived from it meets nothing of another session. */
  readonly id: string
  /** Its user can be asked by a form. */
  readonly asks: boolean
}

const DAY = 24 * 60 * 60 * 1000
const SESSION_DAYS = 7
/** For how long an answer may take. The question itself stays open, for others to answer. */
const STATE_DAYS = 1

/** undefined: this Worker has nothing to sign with, so it can tell nobody apart. */
export const signSession = ({ tenant }: McpCall, { id, asks }: Session): Promise<string | undefined> =>
  tenant.words.sign("mcp session", { id, asks: asks ? "yes" : "" }, SESSION_DAYS * DAY)

export async function readSession({ tenant }: McpCall, token: string): Promise<Session | undefined> {
  const said = await tenant.words.read("mcp session", token)
  return typeof said?.["id"] === "string" ? { id: said["id"], asks: said["asks"] === "yes" } : undefined
}

/** The id of a question on a call's stream, 2025-11-25: its answer arrives by a request of its own, anywhere. */
export const signQuestion = ({ tenant }: McpCall, session: Session, run: string, interaction: string): Promise<string | undefined> =>
  tenant.words.sign("mcp question", { session: session.id, run, interaction }, STATE_DAYS * DAY)

export async function readQuestion(
  { tenant }: McpCall,
  session: Session,
  token: string,
): Promise<{ readonly run: string; readonly interaction: string } | undefined> {
  const said = await tenant.words.read("mcp question", token)
  const { run, interaction } = said ?? {}
  return said?.["session"] === session.id && typeof run === "string" && typeof interaction === "string" ? { run, interaction } : undefined
}

/** `requestState` of revision 2026-07-28: which run the call goes on with. Bound to the key and to the very call. */
export const signState = async ({ tenant, caller }: McpCall, tool: string, args: unknown, run: string): Promise<string | undefined> =>
  tenant.words.sign("mcp state", { run, key: keyOf(caller), call: await digestOf(tool, args) }, STATE_DAYS * DAY)

/** undefined: altered, too old, another key's or another call's. */
export async function readState({ tenant, caller }: McpCall, tool: string, args: unknown, state: string): Promise<string | undefined> {
  const said = await tenant.words.read("mcp state", state)
  const { run, key, call } = said ?? {}
  return typeof run === "string" && key === keyOf(caller) && call === (await digestOf(tool, args)) ? run : undefined
}

const keyOf = ({ keyId, name }: McpCall["caller"]): string => keyId ?? name
const digestOf = (tool: string, args: unknown): Promise<string> => sha256(canonical([tool, args ?? {}]))

/** The Idempotency-Key of a call in a session: the call that comes again finds its run, and a cancellation does too. */
export const callKey = async (session: Session, request: string | number): Promise<string> =>
  `mcp:${await sha256(canonical([session.id, request]))}`
