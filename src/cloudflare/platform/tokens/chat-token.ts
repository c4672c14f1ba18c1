// Signs and reads chat tokens [P9], the rights of a page in one thread of one flow. Anyone may read a token, so it does not contain the
// name of its key.

import { Amount } from "../../../core/money/amount.ts"
import { ORIGINS, type Origin } from "../../../core/flow/origin.ts"
import type { Caller, ChatWish } from "../../../ports/services.ts"
import type { Scope } from "../../../api/route/route.ts"
import { defined } from "../../../core/defined.ts"
import { readToken, signToken } from "./signed-token.ts"
import type { VaultEnv } from "../vault.ts"

const CHAT = "chat"
const YES = "yes"

/** `expires`: milliseconds since 1970. */
export function signChatToken(
  env: VaultEnv,
  { tenant, keyId, since }: { readonly tenant: string; readonly keyId: string | undefined; readonly since: number | undefined },
  { flow, thread, reads, answer, feedback, budget, trusted = [] }: ChatWish,
  expires: number,
): Promise<string> {
  const said = {
    tenant,
    flow,
    thread,
    ...(reads ? { reads: YES } : {}),
    ...(answer ? { answer: YES } : {}),
    ...(feedback ? { feedback: YES } : {}),
    ...defined({ budget: budget && JSON.stringify(budget) }),
    ...(trusted.length === 0 ? {} : { trusted: trusted.join() }),
    ...defined({ key: keyId, since: since === undefined ? undefined : String(since) }),
  }
  return signToken(env, CHAT, said, expires)
}

/** The caller of a chat token; undefined if it is altered, expired, or not a chat token. */
export async function chatTokenOf(env: VaultEnv, token: string, now: number): Promise<Caller | undefined> {
  const said = await readToken(env, CHAT, token, now)
  if (!said) return undefined
  const { tenant, flow, thread, reads, answer, feedback, budget, trusted, key, since } = said
  if (typeof tenant !== "string" || typeof flow !== "string" || typeof thread !== "string") return undefined
  const scopes: Scope[] = ["runs:write"]
  if (reads === YES) scopes.push("runs:read")
  if (answer === YES) scopes.push("interactions:answer")
  const most = typeof budget === "string" ? { budget: Amount.parse(JSON.parse(budget)) } : {}
  return {
    tenant,
    name: "page",
    scopes,
    chat: { flow, thread, ...most, ...trustedIn(trusted) },
    ...(feedback === YES ? { feedback: true as const } : {}),
    ...(typeof key === "string" ? { keyId: key } : {}),
    ...(typeof since === "string" ? { since: Number(since) } : {}),
  }
}

/** The trusted origins of a token, from names separated by commas. */
export function trustedIn(said: unknown): { readonly trusted?: readonly Origin[] } {
  const names = typeof said === "string" ? said.split(",") : []
  const trusted = ORIGINS.filter((origin) => names.includes(origin))
  return trusted.length === 0 ? {} : { trusted }
}
