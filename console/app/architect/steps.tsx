// What the architect does, as it does it: from the stream of its run. A run that is over shows what it tried.

import { useEffect, useState } from "react"
import type { JsonObject } from "../../../src/core/json.ts"
import { isFinal } from "../../../src/client/follow.ts"
import { fields, text } from "../../../web/chat/ui-message.ts"
import { visible } from "../../../web/chat/wording.ts"
import { type Call, type RunOutline } from "../../../src/core/run/views/outline.ts"
import { addEvent, newOutline } from "../../../src/core/run/views/read-outline.ts"
import { counted, duration, money } from "../parts/figures.ts"
import { useNow } from "../parts/use-now.ts"
import { Icon } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import css from "../flow-tests/flow-tests.module.css"

interface Told {
  readonly story: RunOutline
  /** Changes when the story has. */
  readonly seq: number
}

/** `onEnd`: its run is over. */
export function useStory(api: Api, run: string | undefined, onEnd: () => void): Told | undefined {
  const [told, setTold] = useState<Told & { readonly run: string }>()
  useEffect(() => {
    if (run === undefined) return undefined
    const stop = new AbortController()
    const story = newOutline()
    const follow = async (): Promise<void> => {
      try {
        for await (const frame of api.runs.events(run, { signal: stop.signal }))
          if ("seq" in frame) {
            addEvent(story, frame)
            setTold({ run, story, seq: frame.seq })
          }
        if (!stop.signal.aborted) onEnd()
      } catch (error) {
        // The session is read again meanwhile, and says what became of it.
        if (!stop.signal.aborted && isFinal(error)) onEnd()
      }
    }
    void follow()
    return () => stop.abort()
  }, [api, run, onEnd])
  return told?.run === run ? told : undefined
}

interface Props {
  readonly run: string
  readonly told: Told | undefined
  readonly isOver: boolean
  /** What came of it is there to read, so that its steps fold. */
  readonly isFolded: boolean
}

export function Steps({ run, told, isOver, isFolded }: Props) {
  const now = useNow(1_000, !isOver)
  if (!told) return <p className="dim small">It begins.</p>
  const { story } = told
  const turns = [...story.steps.values()].flatMap(({ passes }) => passes.flatMap((pass) => pass.turns))
  const calls = turns.flatMap((turn) => turn.calls)
  const last = turns.at(-1)
  const end = story.ended ?? Math.max(now, story.at)
  return (
    <details key={String(isFolded)} className={css.did} open={!isFolded}>
      <summary className="small">
        {isOver ? `What it did: ${counted(calls.length, "step")}` : "What it does"}
        <span className="dim">
          {story.began === 0 ? "" : `, ${duration(end - story.began)}`}
          {story.usd === null ? "" : `, ${money(story.usd)}`}
        </span>
      </summary>
      <ol className={css.proof}>
        {calls.map((call) => (
          <li key={call.id}>
            <CallMark call={call} />
            <span className={css.said}>{wordsOf(call)}</span>
          </li>
        ))}
        {!isOver && (
          <li>
            <Icon name="running" kind="i-s running spin" label="Under way" />
            <span className="mid">{last && last.ended === undefined ? "The model is thinking" : "It goes on"}</span>
          </li>
        )}
        <li>
          <Link className="link small" href={addressOf("runs", run)}>
            Open its run
          </Link>
        </li>
      </ol>
    </details>
  )
}

function CallMark({ call }: { readonly call: Call }) {
  if (call.state === "running" || call.state === "given") return <Icon name="running" kind="i-s running" label="Under way" />
  const isBad = call.state === "error" || call.state === "refused" || answerOf(call)["written"] === false
  return isBad ? <Icon name="failed" kind="i-s failed" label="Refused" /> : <Icon name="succeeded" kind="i-s succeeded" label="Done" />
}

function answerOf({ result }: Call): JsonObject {
  try {
    return fields(JSON.parse(result ?? "null")) as JsonObject
  } catch {
    return {}
  }
}

const WROTE: ReadonlySet<string> = new Set(["flow_write", "agent_write"])

function wordsOf(call: Call): string {
  const { tool, args, state, why } = call
  const path = text(args["path"]) ?? text(args["name"]) ?? text(args["pattern"]) ?? ""
  if (state === "refused") return `${visible(tool)} was refused: ${visible(why ?? "")}`
  if (WROTE.has(tool)) {
    const { written, diagnostics, error } = answerOf(call)
    const first = Array.isArray(diagnostics) ? text(fields(diagnostics[0])["message"]) : undefined
    if (written === false) return `${visible(path)} was not taken: ${visible(first ?? text(error) ?? "it has errors")}`
    return `${state === "running" || state === "given" ? "Writes" : "Wrote"} ${visible(path)}`
  }
  if (tool === "agent_catalog") return "Looked at the agents that there are"
  if (tool === "skill_read") return `Read the reference${path === "" ? "" : `: ${visible(path)}`}`
  if (tool === "finish") return state === "error" ? `Its end was not taken: ${visible(call.result ?? "")}` : "Finished"
  return `${visible(tool)}${path === "" ? "" : ` ${visible(path)}`}`
}
