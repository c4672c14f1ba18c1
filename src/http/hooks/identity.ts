// Identifies a delivery [W3]. GitHub's id is not signed, so the body's digest counts as well: a replay of a captured body under a new id is
// still detected.

import { isObject, type Json } from "../../core/json.ts"
import type { HookSettings } from "../../core/webhook/hook.ts"
import { rendered } from "../../core/webhook/mapping.ts"
import type { Payload } from "../../core/webhook/payload.ts"
import { sha256 } from "../../engine/sha256.ts"

export interface Identity {
  /** The sender's id of the delivery; null: none. */
  readonly external: string | null
  /** A delivery that shares one of these keys is a repeat; without keys, every delivery is new. */
  readonly keys: readonly string[]
}

/** `payload.body` is parsed; `raw` is the received bytes. */
export async function identityOf(
  hook: Pick<HookSettings, "kind" | "dedupe">,
  header: (name: string) => string | null,
  payload: Payload,
  raw: Uint8Array,
): Promise<Identity> {
  const digest = async (): Promise<string> => `body:${await sha256(raw)}`
  const id = idOf(hook, header, payload)
  if (hook.kind === "github") return { external: shown(id), keys: [...(id === "" ? [] : [await keyOf(id)]), await digest()] }
  if (id !== "") return { external: shown(id), keys: [await keyOf(id)] }
  return { external: null, keys: hook.kind === "token" ? [] : [await digest()] }
}

function idOf({ kind, dedupe }: Pick<HookSettings, "kind" | "dedupe">, header: (name: string) => string | null, payload: Payload): string {
  switch (kind) {
    case "github":
      return header("x-github-delivery") ?? ""
    case "stripe":
      return field(payload.body, "id")
    case "slack":
      return field(payload.body, "event_id")
    case "standard":
      return header("webhook-id") ?? ""
    case "hmac":
    case "token":
      return dedupe === undefined ? "" : rendered(dedupe, payload)
  }
}

const field = (body: Json, name: string): string => {
  const value = isObject(body) && Object.hasOwn(body, name) ? body[name] : undefined
  return typeof value === "string" ? value : ""
}

const SHOWN = 200
const shown = (id: string): string | null => (id === "" ? null : id.slice(0, SHOWN))
const keyOf = async (id: string): Promise<string> => (id.length <= SHOWN ? `id:${id}` : `id:${await sha256(id)}`)
