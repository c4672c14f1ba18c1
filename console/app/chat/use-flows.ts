// Which flows there are to talk to, and what the chosen one says of itself.

import { useEffect, useState } from "react"
import { messageOf } from "../../../src/core/text/fault-text.ts"
import type { Api } from "../shell/session.ts"

interface Flows {
  /** Ids; undefined until they are read. */
  readonly flows: readonly string[] | undefined
  readonly fault: string | undefined
  readonly about: string
}

export function useFlows(api: Api, flow: string | undefined): Flows {
  const [flows, setFlows] = useState<readonly string[]>()
  const [fault, setFault] = useState<string>()
  const [about, setAbout] = useState("")
  useEffect(() => {
    let isOver = false
    api.transport.json<{ readonly data: readonly { readonly id: string }[] }>("GET", "/v1/models").then(
      ({ data }) => {
        if (!isOver) setFlows(data.map(({ id }) => id).sort())
      },
      (error: unknown) => {
        if (!isOver) setFault(messageOf(error, "The server did not answer."))
      },
    )
    return () => {
      isOver = true
    }
  }, [api])
  useEffect(() => {
    let isOver = false
    if (flow !== undefined)
      api.transport
        .json<{ readonly description?: string }>("GET", `/a2a/${encodeURIComponent(flow)}/.well-known/agent-card.json`)
        .then(({ description }) => {
          if (!isOver) setAbout(description ?? "")
        })
        // A flow that does not load has no card; it says why when it is written to.
        .catch(() => setAbout(""))
    return () => {
      isOver = true
    }
  }, [api, flow])
  return { flows, fault, about }
}
