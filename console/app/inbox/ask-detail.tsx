// The open question: by its kind while it waits, and what was decided once it is.

import { useEffect, useState } from "react"
import type { Asked } from "../../../src/api/doc/run/interactions.doc.ts"
import { isApproval } from "../../../src/core/run/question/question.ts"
import { Interactions } from "../../../src/client/interactions.ts"
import type { Api } from "../shell/session.ts"
import { Approval } from "./approval.tsx"
import type { Around } from "./frame.tsx"
import { Budget } from "./budget.tsx"
import { DecidedAsk } from "./decided-ask.tsx"
import { Elicitation } from "./elicitation.tsx"
import { Question } from "./question.tsx"
import { useAbout } from "./use-about.ts"

interface Props {
  readonly api: Api
  readonly ask: Asked
  readonly around: Around
  /** The list no longer has it. */
  readonly isGone: boolean
  readonly onDecided: (decided: Asked, isMine: boolean) => void
}

export function AskDetail({ api, ask, around, isGone, onDecided }: Props) {
  const about = useAbout(api, ask)
  const [decided, setDecided] = useState<Asked | undefined>(ask.status === "pending" ? undefined : ask)
  const [isLate, setLate] = useState(false)
  const [at, setAt] = useState<number>()
  useEffect(() => {
    if (!isGone || decided !== undefined) return
    let isOver = false
    readAsk(api, ask)
      .then((found) => {
        if (isOver || found.status === "pending") return
        setLate(true)
        setDecided(found)
      })
      // The list is read again soon.
      .catch(() => undefined)
    return () => {
      isOver = true
    }
  }, [api, ask, isGone, decided])
  useEffect(() => {
    if (decided === undefined) return
    if (decided.decided !== undefined) return setAt(Date.parse(decided.decided))
    let isOver = false
    decidedAt(api, decided)
      .then((time) => !isOver && setAt(time))
      .catch(() => undefined)
    return () => {
      isOver = true
    }
  }, [api, decided])
  if (decided) return <DecidedAsk ask={decided} about={about} around={around} at={at} isLate={isLate} />
  const tell = (found: Asked, isMine: boolean): void => {
    if (!isMine) {
      setLate(true)
      setDecided(found)
    }
    onDecided(found, isMine)
  }
  const shared = { api, ask, about, around, onDecided: tell }
  if (isApproval(ask)) return <Approval {...shared} />
  if (ask.kind === "budget") return <Budget {...shared} />
  if (ask.kind === "elicitation") return <Elicitation {...shared} />
  return <Question {...shared} />
}

export async function readAsk(api: Api, ask: { readonly run: string | null; readonly id: string; readonly flow?: string }): Promise<Asked> {
  if (ask.run === null) return api.transport.json<Asked>("GET", `/v1/interactions/${encodeURIComponent(ask.id)}`)
  const found = await new Interactions(api.transport).get(ask.run, ask.id)
  return { ...found, flow: ask.flow ?? (await api.runs.get(ask.run)).flow }
}

/** The journal knows when. */
async function decidedAt(api: Api, { run, id }: Asked): Promise<number | undefined> {
  if (run === null) return undefined
  const events = await api.runs.journal(run)
  return events.find((event) => "id" in event && event.id === id && ENDS.has(event.type))?.at
}

const ENDS: ReadonlySet<string> = new Set(["interaction.answered", "interaction.expired", "interaction.withdrawn"])
