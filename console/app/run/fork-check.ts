// Says what the server says of a fork that is wished for, before anything begins.

import { useEffect, useState } from "react"
import type { ForkCheck } from "../../../src/api/doc/run/forks.doc.ts"
import type { Fork } from "../../../src/api/run/forks.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { faultsText } from "../../../src/core/text/fault-text.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

/** The server is asked this long after the last key. */
const TYPED_MS = 350

export interface ForkChecked {
  readonly check: ForkCheck | undefined
  readonly refused: string | undefined
  readonly isChecking: boolean
}

export function useForkCheck(api: Api, run: string, wish: Fork | undefined): ForkChecked {
  const [found, setFound] = useState<{ readonly about: string; readonly check?: ForkCheck; readonly refused?: string }>()
  const about = wish === undefined ? undefined : JSON.stringify(wish)
  useEffect(() => {
    if (about === undefined) return
    let isOver = false
    const timer = setTimeout(() => {
      api.runs.checkFork(run, JSON.parse(about) as Fork).then(
        (check) => {
          if (!isOver) setFound({ about, check })
        },
        (error: unknown) => {
          if (!isOver) setFound({ about, refused: refusalOf(error) })
        },
      )
    }, TYPED_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, run, about])
  const isHere = found !== undefined && found.about === about
  return { check: found?.check, refused: isHere ? found.refused : undefined, isChecking: about !== undefined && !isHere }
}

/** Each fault of the body with its place in it. */
function refusalOf(error: unknown): string {
  if (!(error instanceof SluiceError) || error.errors.length === 0) return faultOf(error)
  return faultsText(error.errors)
}
