// Who is signed in: the key of a tenant, kept by this tab and gone with it. It is in no address and in no page.

import { useSyncExternalStore } from "react"
import { Runs } from "../../../src/client/runs.ts"
import { Transport } from "../../../src/client/transport.ts"
import { SERVER } from "./place.ts"

const NAME = "sluice-key"
const listeners = new Set<() => void>()

/** The API with the key of this tab. */
export interface Api {
  readonly key: string
  readonly transport: Transport
  readonly runs: Runs
}

let current: Api | undefined

export function apiOf(key: string): Api {
  const transport = new Transport({ url: SERVER, key })
  return { key, transport, runs: new Runs(transport) }
}

function session(): Api | undefined {
  const key = sessionStorage.getItem(NAME)
  if (key === null) current = undefined
  else if (current?.key !== key) current = apiOf(key)
  return current
}

export function useSession(): Api | undefined {
  return useSyncExternalStore((changed) => {
    listeners.add(changed)
    return () => listeners.delete(changed)
  }, session)
}

export function signIn(key: string): void {
  sessionStorage.setItem(NAME, key)
  tell()
}

/** What the tab has kept for this key goes too. */
export function signOut(): void {
  sessionStorage.clear()
  tell()
}

function tell(): void {
  for (const listener of listeners) listener()
}
