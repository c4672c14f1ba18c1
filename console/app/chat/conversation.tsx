// The conversation of one thread: the same drawing as in <sluice-chat>, with the session of the reader in place of a chat token.

import { useEffect, useRef, useState } from "react"
import { messageOf } from "../../../src/core/text/fault-text.ts"
import { ChatDoor } from "../../../web/chat/chat-door.ts"
import { ChatThread } from "../../../web/chat/chat-thread.ts"
import { Talk } from "../../../web/chat/talk.ts"
import { isKey } from "../shell/keys.ts"
import { SERVER } from "../shell/place.ts"
import { sessionOver, type Api } from "../shell/session.ts"
import { historyOf } from "./history.ts"
import css from "./chat-page.module.css"

interface Props {
  readonly api: Api
  readonly flow: string
  readonly thread: string
  /** Nothing has been said in it yet. */
  readonly isNew: boolean
  readonly about: string
  /** A turn has begun or ended. */
  readonly onTurn: (run: string | undefined) => void
}

/** A thread is read anew this often before it stays as it is. */
const MAX_READS = 20

export function Conversation({ api, flow, thread, isNew, about, onTurn }: Props) {
  /** Says what the flow is, while nothing is said. */
  const said = useRef<HTMLParagraphElement>(undefined)
  const host = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<"reading" | "there" | { readonly fault: string }>("reading")
  const [again, setAgain] = useState(0)
  const told = useRef(onTurn)
  told.current = onTurn
  useEffect(() => {
    let isOver = false
    let leave = (): void => undefined
    const open = async (): Promise<void> => {
      const messages = isNew ? [] : (await historyOf(api, flow, thread)).messages
      if (isOver || !host.current) return
      const talk = show(host.current, messages)
      setState("there")
      leave = talk.leave
      // A thread that nothing was said in has nothing to follow.
      if (!isNew) await talk.thread.resume()
    }
    const show = (node: HTMLDivElement, messages: Awaited<ReturnType<typeof historyOf>>["messages"]) => {
      const bearer = (stale?: string): Promise<undefined> => {
        if (stale !== undefined) sessionOver()
        return Promise.resolve(undefined)
      }
      const door = new ChatDoor({ server: SERVER, flow, thread }, bearer)
      // What was said is on the server; a run that ended out of sight is read from there.
      const spoken = new ChatThread(door, { load: () => ({ messages }), save: () => undefined }, () =>
        setAgain((n) => Math.min(n + 1, MAX_READS)),
      )
      const words = { me: "You", agent: flow, power: "all", placeholder: "Write a message", fine: "", wide: true } as const
      const empty = document.createElement("p")
      empty.className = "empty"
      empty.textContent = about
      said.current = empty
      const talk = new Talk(spoken, { ...words, about: [empty] })
      node.replaceChildren(...talk.nodes)
      if (matchMedia("(min-width: 768px)").matches) talk.composer.field.focus({ preventScroll: true })
      let seen = ""
      const unlisten = spoken.listen(() => {
        const { last, isBusy } = spoken
        const now = `${last?.id ?? ""} ${last?.status ?? ""} ${isBusy}`
        if (now === seen) return
        seen = now
        told.current(last?.role === "assistant" ? last.id.slice(0, 30) || undefined : undefined)
      })
      const press = (event: KeyboardEvent): void => {
        if (isKey(event) && !event.ctrlKey && !event.metaKey && !event.altKey && talk.press(event.key)) event.preventDefault()
      }
      addEventListener("keydown", press)
      return {
        thread: spoken,
        leave: () => {
          removeEventListener("keydown", press)
          unlisten()
          talk.close()
          spoken.close()
        },
      }
    }
    open().catch((error: unknown) => {
      if (!isOver) setState({ fault: messageOf(error, "The server did not answer.") })
    })
    return () => {
      isOver = true
      leave()
    }
    // A thread that becomes known by its first message stays as it is.
  }, [api, flow, thread, again])
  useEffect(() => {
    if (said.current) said.current.textContent = about
  }, [about])
  return (
    <>
      {typeof state === "object" && (
        <div className={css.talkHost}>
          <div className="talk">
            <p className="note error" role="alert">
              <span>{state.fault}</span>
              <button
                className="btn"
                type="button"
                onClick={() => {
                  setState("reading")
                  setAgain((n) => n + 1)
                }}
              >
                Try again
              </button>
            </p>
          </div>
        </div>
      )}
      {state === "reading" && (
        <p className="vh" role="status">
          Reading the conversation
        </p>
      )}
      <div className={css.talkHost} ref={host} hidden={typeof state === "object"} />
    </>
  )
}
