// Chat tokens [P9]: what a page may do with one thread of one flow, signed. Anyone may read what one says, so it does not say the name of its key.

import { Amount } from "../../core/money/amount.ts"
import type { Caller, ChatWish } from "../../ports/house.ts"
import type { Scope } from "../../api/route.ts"
import { readToken, signToken } from "./signed-token.ts"
import type { VaultEnv } from "./vault.ts"

const CHAT = "chat"
const YES = "yes"

/** `expires`: milliseconds since 1970. */
export function signChatToken(
  env: VaultEnv,
  { tenant, keyId, since }: { readonly tenant: string; readonly keyId: string | undefined; readonly since: number | undefined },
  { flow, thread, reads, answer, budget }: ChatWish,
  expires: number,
): Promise<string> {
  const said = {
    tenant,
    flow,
    thread,
    ...(reads ? { reads: YES } : {}),
    ...(answer ? { answer: YES } : {}),
    ...(budget === undefined ? {} : { budget: JSON.stringify(budget) }),
    ...(keyId === undefined ? {} : { key: keyId }),
    ...(since === undefined ? {} : { since: String(since) }),
  }
  return signToken(env, CHAT, said, expires)
}

/** undefined: altered, expired, or no chat token. */
export async function chatTokenOf(env: VaultEnv, token: string, now: number): Promise<Caller | undefined> {
  const said = await readToken(env, CHAT, token, now)
  if (!said) return undefined
  const { tenant, flow, thread, reads, answer, budget, key, since } = said
  if (typeof tenant !== "string" || typeof flow !== "string" || typeof thread !== "string") return undefined
  const scopes: Scope[] = ["runs:write"]
  if (reads === YES) scopes.push("runs:read")
  if (answer === YES) scopes.push("interactions:answer")
  const most = typeof budget === "string" ? { budget: Amount.parse(JSON.parse(budget)) } : {}
  return {
    tenant,
    name: "page",
    scopes,
    chat: { flow, thread, ...most },
    ...(typeof key === "string" ? { keyId: key } : {}),
    ...(typeof since === "string" ? { since: Number(since) } : {}),
  }
}
