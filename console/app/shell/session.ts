// Who is signed in: the key of a tenant, kept by this tab and gone with it. It is in no address and in no page.

import { useSyncExternalStore } from "react"
import { Catalog } from "../../../src/client/catalog.ts"
import { Flows } from "../../../src/client/flows.ts"
import { Interactions } from "../../../src/client/interactions.ts"
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
  readonly flows: Flows
  readonly catalog: Catalog
  readonly interactions: Interactions
}

let current: Api | undefined

export function apiOf(key: string): Api {
  const transport = new Transport({ url: SERVER, key })
  const runs = new Runs(transport)
  return {
    key,
    transport,
    runs,
    flows: new Flows(transport, runs),
    catalog: new Catalog(transport),
    interactions: new Interactions(transport),
  }
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
