// A session of the architect: the one that the address names, or the newest open one of this flow; read again when its run ends, and while what
// it wrote is still being tried.

import { useCallback, useEffect, useState } from "react"
import type { ArchitectSession } from "../../../src/api/doc/architect.doc.ts"
import type { Architect } from "../../../src/client/architect.ts"
import { faultOf } from "../parts/fault.ts"
import { goQuery, useQuery } from "../shell/place.ts"

const AGAIN_MS = 1_500
const OPEN: ReadonlySet<string> = new Set(["working", "ready", "failed"])

export interface Opened {
  /** null: there is none. undefined: it is being read. */
  readonly session: ArchitectSession | null | undefined
  readonly fault: string | undefined
  /** Opens this one, or none. */
  open(id: string | undefined): void
  look(): void
}

/** `flow`: undefined for a flow that is not stored yet. */
export function useSession(architect: Architect, flow: string | undefined): Opened {
  const id = useQuery().get("session") ?? undefined
  const [found, setFound] = useState<{
    readonly id: string | undefined
    readonly session?: ArchitectSession | null
    readonly fault?: string
  }>()
  const [turn, setTurn] = useState(0)
  const look = useCallback(() => setTurn((n) => n + 1), [])
  useEffect(() => {
    if (id !== undefined) return undefined
    let isOver = false
    newestOf(architect, flow).then(
      (newest) => {
        if (isOver) return
        if (newest === undefined) setFound({ id, session: null })
        else goQuery({ session: newest })
      },
      (error: unknown) => {
        if (!isOver) setFound({ id, fault: faultOf(error) })
      },
    )
    return () => {
      isOver = true
    }
  }, [architect, flow, id])
  useEffect(() => {
    if (id === undefined || id === NONE) {
      if (id === NONE) setFound({ id, session: null })
      return undefined
    }
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = async (): Promise<void> => {
      try {
        const session = await architect.get(id)
        if (isOver) return
        setFound({ id, session })
        if (session.status === "working") timer = setTimeout(() => void read(), AGAIN_MS)
      } catch (error) {
        if (!isOver) setFound((before) => ({ ...(before?.id === id ? before : {}), id, fault: faultOf(error) }))
      }
    }
    void read()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [architect, id, turn])
  const open = useCallback((next: string | undefined) => goQuery({ session: next ?? NONE }), [])
  return { session: found?.id === id ? found?.session : undefined, fault: found?.id === id ? found?.fault : undefined, open, look }
}

/** In the address: the reader has left the open one. */
const NONE = "none"

async function newestOf(architect: Architect, flow: string | undefined): Promise<string | undefined> {
  if (flow === undefined) return undefined
  const { data } = await architect.list().page()
  return data.find((row) => row.flow === flow && OPEN.has(row.status))?.id
}
