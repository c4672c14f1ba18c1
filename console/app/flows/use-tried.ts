// A rehearsal while it plays: its run is read again until it is over, quickly at first and then once a second.

import { useEffect, useState } from "react"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { isTriedOver } from "../../../web/flow/tried-words.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"

/** Most rehearsals are over at once. */
const FIRST_MS = [100, 200, 400]
const AGAIN_MS = 1_000
/** What a person or a signal ends takes its time. */
const WAITING_MS = 2_500

interface Followed {
  readonly view: RunView | undefined
  readonly fault: string | undefined
}

const NOTHING: Followed = { view: undefined, fault: undefined }

export function useTried(api: Api, run: string | undefined): Followed {
  const [followed, setFollowed] = useState<Followed & { readonly of?: string }>(NOTHING)
  useEffect(() => {
    if (run === undefined) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const look = async (turn: number): Promise<void> => {
      try {
        const view = document.hidden ? undefined : await api.runs.get(run)
        if (isOver) return
        if (view) setFollowed({ of: run, view, fault: undefined })
        if (view && isTriedOver(view)) return
        timer = setTimeout(() => void look(turn + 1), view?.status === "waiting" ? WAITING_MS : (FIRST_MS[turn] ?? AGAIN_MS))
      } catch (error) {
        if (!isOver) setFollowed({ of: run, view: undefined, fault: faultOf(error) })
      }
    }
    void look(0)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [api, run])
  return followed.of === run ? followed : NOTHING
}
