// What the server says of the text in the editor: its problems, and its graph. It is asked once the typing rests, and an answer about an older
// text is dropped.

import { useEffect, useRef, useState } from "react"
import type { Verdict } from "../../../src/api/doc/catalog.doc.ts"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import type { FileName } from "./use-draft.ts"

const REST_MS = 250

export type Problem = Verdict["diagnostics"][number]

export interface Checked {
  /** undefined until the server has answered once. */
  readonly problems: readonly Problem[] | undefined
  /** The text that they are about. */
  readonly of: string | undefined
  /** The graph of the last text that loads. */
  readonly graph: GraphView | undefined
  /** Whether the last text that was checked is the one with the graph. */
  readonly isGraphFresh: boolean
  readonly fault: string | undefined
}

const NONE: Checked = { problems: undefined, of: undefined, graph: undefined, isGraphFresh: true, fault: undefined }

export function useCheck(api: Api, kind: FileName["kind"], path: string | undefined, text: string | undefined): Checked {
  const [checked, setChecked] = useState(NONE)
  const version = useRef(0)
  useEffect(() => {
    if (text === undefined) return
    const mine = ++version.current
    const look = (): void => {
      api.catalog.validate(kind, text, path).then(
        ({ diagnostics, graph }) => {
          if (mine !== version.current) return
          setChecked((before) => ({
            problems: diagnostics,
            of: text,
            graph: (graph as GraphView | undefined) ?? before.graph,
            isGraphFresh: graph !== undefined,
            fault: undefined,
          }))
        },
        (error: unknown) => {
          if (mine === version.current) setChecked((before) => ({ ...before, fault: faultOf(error) }))
        },
      )
    }
    // The first text is checked at once.
    const timer = setTimeout(look, mine === 1 ? 0 : REST_MS)
    return () => clearTimeout(timer)
  }, [api, kind, path, text])
  return checked
}
