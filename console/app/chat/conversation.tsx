// The conversation of one thread: the same drawing as in <sluice-chat>, with the session of the reader in place of a chat token.

import { useEffect, useRef, useState } from "react"
import { ChatDoor } from "../../../web/chat/chat-door.ts"
import { ChatThread } from "../../../web/chat/chat-thread.ts"
import { Talk } from "../../../web/chat/talk.ts"
import type { ChatMessage } from "../../../web/chat/ui-message.ts"
import { useAsked } from "../parts/asked.ts"
import { isKey } from "../shell/keys.ts"
import { SERVER } from "../shell/place.ts"
import { sessionOver, useMay, type Api } from "../shell/session.ts"
import { historyOf } from "./history.ts"
import css from "./chat-page.module.css"

interface Props {
  readonly api: Api
  readonly flow: string
  readonly thread: string
  /** Nothing has been said in it yet. */
  readonly isNew: boolean
  readonly about: string
  /** Tasks to begin with. */
  readonly examples: readonly string[]
  /** A turn has begun or ended. */
  readonly onTurn: (run: string | undefined) => void
}

/** A thread is read anew this often before it stays as it is. */
const MAX_READS = 20

export function Conversation({ api, flow, thread, isNew, about, examples, onTurn }: Props) {
  /** Says what the flow is, while nothing is said. */
  const said = useRef<HTMLParagraphElement>(undefined)
  const samples = useRef<HTMLDivElement>(undefined)
  const suggest = useRef<(text: string) => void>(undefined)
  const host = useRef<HTMLDivElement>(null)
  const [mayWrite, mayAnswer] = [useMay("runs:write"), useMay("interactions:answer")]
  const [again, setAgain] = useState(0)
  // A thread that becomes known by its first message stays as it is.
  const [wasNew] = useState(isNew)
  const read = useAsked(
    ["once", "history", flow, thread, again],
    async () => ({ again, messages: wasNew && again === 0 ? [] : (await historyOf(api, flow, thread)).messages }),
    { isFresh: true },
  )
  const messages = read.value?.again === again ? read.value.messages : undefined
  const state = messages !== undefined ? "there" : read.fault === undefined ? "reading" : { fault: read.fault }
  const told = useRef(onTurn)
  told.current = onTurn
  useEffect(() => {
    const show = (node: HTMLDivElement, before: readonly ChatMessage[]) => {
      const bearer = (stale?: string): Promise<undefined> => {
        if (stale !== undefined) sessionOver()
        return Promise.resolve(undefined)
      }
      const door = new ChatDoor({ server: SERVER, flow, thread }, bearer)
      // What was said is on the server; a run that ended out of sight is read from there.
      const spoken = new ChatThread(door, { load: () => ({ messages: before }), save: () => undefined }, () =>
        setAgain((n) => Math.min(n + 1, MAX_READS)),
      )
      const words = {
        me: "You",
        agent: flow,
        power: mayAnswer ? "all" : "none",
        figures: true,
        placeholder: "Write a message",
        fine: "",
        wide: true,
        closed: mayWrite ? undefined : "Your key may read this chat, but not write: it needs runs:write.",
      } as const
      const empty = document.createElement("p")
      empty.className = "empty"
      empty.textContent = about
      const tasks = document.createElement("div")
      tasks.className = "samples"
      said.current = empty
      samples.current = tasks
      const talk = new Talk(spoken, { ...words, about: mayWrite ? [empty, tasks] : [empty] })
      suggest.current = (text) => talk.composer.suggest(text)
      node.replaceChildren(...talk.nodes)
      if (mayWrite && matchMedia("(min-width: 768px)").matches) talk.composer.field.focus({ preventScroll: true })
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
    if (messages === undefined || !host.current) return
    const talk = show(host.current, messages)
    // A thread that nothing was said in has nothing to follow.
    if (!wasNew || again > 0) void talk.thread.resume()
    return talk.leave
  }, [flow, thread, messages, wasNew, again, mayWrite, mayAnswer])
  useEffect(() => {
    if (said.current) said.current.textContent = about
    const buttons = examples.map((text) => {
      const node = document.createElement("button")
      node.type = "button"
      node.className = "btn sample"
      node.textContent = text
      node.addEventListener("click", () => suggest.current?.(text))
      return node
    })
    samples.current?.replaceChildren(...buttons)
  }, [about, examples, messages])
  return (
    <>
      {typeof state === "object" && (
        <div className={css.talkHost}>
          <div className="talk">
            <p className="note error" role="alert">
              <span>{state.fault}</span>
              <button className="btn" type="button" onClick={read.again}>
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
