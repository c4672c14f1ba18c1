// A run that has not begun: what it waits for, the line in which it stands, and what comes before its beginning [R23].

import { useEffect, useRef } from "react"
import { keyNames, keyTitle } from "../../../../web/start/key-words.ts"
import { gatesOf, waitSentence } from "../../../../web/start/wait-sentence.ts"
import { useAsked } from "../../parts/asked.ts"
import { classes } from "../../parts/classes.ts"
import { shortTime } from "../../parts/figures.ts"
import { Icon, type IconName } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf, go } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import type { RunFeed } from "../feed.ts"
import type { ShownRun } from "../use-run.ts"
import { LineOfKey } from "./line-of-key.tsx"
import { readLine } from "./read-line.ts"
import { useAbout } from "./use-about.ts"
import css from "./queued.module.css"

const AGAIN_MS = 3_000

interface Props {
  readonly api: Api
  readonly feed: RunFeed
  readonly shown: ShownRun
  readonly now: number
}

export function QueuedRun({ api, feed, shown: { view, graph }, now }: Props) {
  const { value } = useAsked(["run", view.id, "line"], () => readLine(api, view.id), { live: { pollMs: AGAIN_MS, slowMs: AGAIN_MS } })
  // What has changed since is shown by the page around.
  const isOver = value?.view !== undefined && value.view.status !== "queued"
  useEffect(() => {
    if (isOver) feed.look(value.view)
  }, [isOver])
  const seen = value?.view ?? view
  const wait = seen.waiting ?? { reason: "room" }
  const [of, holder] = [value?.own, "run" in wait ? wait.run : undefined]
  const block = graph.start.block
  const templates = {
    window: (block?.debounce ?? block?.batch)?.key,
    throttle: block?.throttle?.key,
    concurrency: block?.concurrency?.key,
  }
  const isWindow = wait.reason === "debounce" || wait.reason === "batch"
  const template = templates[wait.reason === "throttle" ? "throttle" : isWindow ? "window" : "concurrency"]
  const names = {
    window: keyNames(templates.window),
    throttle: keyNames(templates.throttle),
    concurrency: keyNames(templates.concurrency),
  }
  const title = "key" in wait ? keyTitle(template, wait.key ?? "") : ""
  const expires = "expires" in wait ? wait.expires : undefined
  const step = value?.rows.get(holder ?? "")?.now?.step
  const about = useAbout(api, view.flow, value, now)
  const list = useRef<HTMLOListElement>(null)
  const move = (by: number): void => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a") ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))]?.focus()
  }
  useKeys("list", { next: () => move(1), previous: () => move(-1) })
  useKeys("line", { holder: () => (holder === undefined ? false : go(addressOf("runs", holder))) })
  return (
    <div className={css.queued}>
      <section className={css.why} role="status">
        <Icon name={isWindow ? "merge" : wait.reason === "delay" ? "clock" : "queue"} />
        <div className={css.grow}>
          <h2>{waitSentence(wait, of, title, shortTime)}</h2>
          <p className="mid">
            {holder !== undefined && (
              <>
                <Link className="link mono" href={addressOf("runs", holder)}>
                  {holder.slice(0, 12)}
                </Link>{" "}
                holds the key{step === undefined ? "" : `; it is at ${step}`}.{" "}
              </>
            )}
            {wait.reason === "throttle" &&
              "until" in wait &&
              wait.until !== undefined &&
              (wait.ahead ?? 0) > 0 &&
              `The next one begins at ${shortTime(wait.until)}. `}
            {about !== undefined && `It begins ${about}. `}
            {expires !== undefined && `If it has not begun by ${shortTime(expires)}, it fails.`}
          </p>
        </div>
        {holder !== undefined && (
          <Link className="btn" href={addressOf("runs", holder)}>
            Open {holder.slice(0, 10)} <kbd>O</kbd>
          </Link>
        )}
      </section>
      {value !== undefined && value.line.length > 0 && (
        <LineOfKey
          flow={view.flow}
          run={view.id}
          title={"key" in wait && wait.key !== undefined && wait.key !== "" ? wait.key : view.flow}
          limit={of?.concurrency?.limit}
          line={value.line}
          rows={value.rows}
          hasMore={value.hasMore}
          now={now}
          list={list}
        />
      )}
      {value !== undefined && (
        <section className="panel" aria-labelledby="before-it">
          <div className={css.head}>
            <h2 id="before-it">Before it begins</h2>
          </div>
          <ol className={css.gates}>
            {gatesOf(wait, of, names, shortTime).map(({ what, about, state, note }) => (
              <li key={what} className={css[state]}>
                <Icon name={GATE[state]} kind="i-s" label={SAID[state]} />
                <span className={css.what}>{what}</span>
                <span className="num">{note}</span>
                <span className={css.sub}>{about}</span>
              </li>
            ))}
          </ol>
        </section>
      )}
      <p className={classes(css.keys, "dim small")}>
        <kbd>C</kbd> cancel
        {holder !== undefined && (
          <>
            <kbd>O</kbd> open the run that holds the key
          </>
        )}
        {value !== undefined && value.line.length > 0 && (
          <>
            <kbd>J</kbd> <kbd>K</kbd> line
          </>
        )}
        <kbd>?</kbd> all keys
      </p>
    </div>
  )
}

const GATE: Readonly<Record<"done" | "now" | "later", IconName>> = { done: "succeeded", now: "queue", later: "queued" }
const SAID = { done: "passed", now: "here", later: "to come" } as const
