// Who is signed in: the browser has a cookie that no script can read [H13]. The key is sent once and kept nowhere.

import { useSyncExternalStore } from "react"
import type { WhoAmI } from "../../../src/api/doc/sign-in.doc.ts"
import { Catalog } from "../../../src/client/catalog.ts"
import { Flows } from "../../../src/client/flows.ts"
import { Interactions } from "../../../src/client/interactions.ts"
import { Runs } from "../../../src/client/runs.ts"
import { SignInClient } from "../../../src/client/sign-in.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { Transport } from "../../../src/client/transport/transport.ts"
import { SERVER } from "./place.ts"
import { serverState } from "./server-state.ts"

/** The API with the rights of the session. */
export interface Api {
  readonly who: WhoAmI
  readonly transport: Transport
  readonly runs: Runs
  readonly flows: Flows
  readonly catalog: Catalog
  readonly interactions: Interactions
}

const listeners = new Set<() => void>()
/** This browser has signed in and not signed out: a page that finds no session has lost one. */
const SIGNED_IN = "sluice-signed-in"
/** A session that has ended elsewhere, or with its key, ends here at the next request. */
const watched = async (url: string, init: RequestInit): Promise<Response> => {
  const answer = await fetch(url, init)
  if (answer.status === 401) sessionOver()
  return answer
}
const transport = new Transport({ url: SERVER, fetch: watched })
const own = new SignInClient(transport)

/** null: nobody is signed in. undefined: the server has not said yet. */
let current: Api | null | undefined
let asked: Promise<void> | undefined

function apiOf(who: WhoAmI): Api {
  const runs = new Runs(transport)
  return {
    who,
    transport,
    runs,
    flows: new Flows(transport, runs),
    catalog: new Catalog(transport),
    interactions: new Interactions(transport),
  }
}

/** undefined until the server has answered. */
export function useSession(): Api | null | undefined {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed)
      asked ??= own.get().then(
        (who) => become(apiOf(who)),
        () => become(null),
      )
      return () => listeners.delete(changed)
    },
    () => current,
  )
}

/** Whether the session may do it. What it may not is not offered. */
export const useMay = (scope: WhoAmI["scopes"][number]): boolean => useSession()?.who.scopes.includes(scope) === true

/** Throws a SluiceError if the key is refused. */
export async function signIn(key: string, name: string): Promise<void> {
  await new SignInClient(new Transport({ url: SERVER, key })).open(name === "" ? {} : { name })
  const who = await own.get().catch((error: unknown) => {
    if (error instanceof SluiceError && error.status === 401) throw new NotKept()
    throw error
  })
  localStorage.setItem(SIGNED_IN, "yes")
  become(apiOf(who))
}

/** Whether whoever was signed in here is so no longer, without having signed out. */
export const isSessionLost = (): boolean => localStorage.getItem(SIGNED_IN) !== null

/** The key was taken, and the browser has no cookie all the same. */
export class NotKept extends Error {}

export async function signOut(): Promise<void> {
  // A session that is over already needs no end.
  await own.close().catch(() => undefined)
  localStorage.removeItem(SIGNED_IN)
  sessionOver()
}

/** The server knows the session no longer. */
export function sessionOver(): void {
  if (current === null) return
  sessionStorage.clear()
  become(null)
}

function become(next: Api | null): void {
  // What one may read another may not.
  serverState.clear()
  current = next
  for (const listener of listeners) listener()
}
