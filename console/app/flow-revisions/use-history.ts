// The catalog's history, newest first, as far as the reader has asked for it.

import { useEffect, useState } from "react"
import type { Revision } from "../../../src/api/doc/catalog.doc.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

const AT_ONCE = 50

export interface History {
  readonly rows: readonly Revision[] | undefined
  readonly fault: string | undefined
  /** Reads the next ones; undefined: there are none. */
  readonly more: (() => void) | undefined
}

export function useHistory(api: Api, about: string): History {
  const [rows, setRows] = useState<readonly Revision[]>()
  const [cursor, setCursor] = useState<string | null>(null)
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    let isOver = false
    api.catalog
      .history(AT_ONCE)
      .page()
      .then(
        ({ data, next_cursor }) => {
          if (isOver) return
          setRows(data)
          setCursor(next_cursor)
          setFault(undefined)
        },
        (error: unknown) => {
          if (!isOver) setFault(faultOf(error))
        },
      )
    return () => {
      isOver = true
    }
  }, [api, about])
  const more = (): void => {
    if (cursor === null) return
    const before = cursor
    setCursor(null)
    api.catalog
      .history(AT_ONCE)
      .page(before)
      .then(
        ({ data, next_cursor }) => {
          setRows((known = []) => [...known, ...data])
          setCursor(next_cursor)
        },
        (error: unknown) => {
          setCursor(before)
          setFault(faultOf(error))
        },
      )
  }
  return { rows, fault, more: cursor === null ? undefined : more }
}
