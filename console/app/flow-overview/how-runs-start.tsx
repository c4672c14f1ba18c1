// Says how the runs of a flow start [R23]: its block in words, and the keys at work and waiting.

import { StartsClient } from "../../../src/client/starts.ts"
import type { SaidStart } from "../../../src/core/start/start-block.ts"
import { blockLines, type BlockLine } from "../../../web/start/block-words.ts"
import { keyNames } from "../../../web/start/key-words.ts"
import { keysAtWork, type KeyAtWork } from "../../../web/start/keys-at-work.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon, type IconName } from "../shell/icons.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { runsOf } from "./runs-of.ts"
import css from "./flow-overview.module.css"
import own from "./how-runs-start.module.css"

/** Starts that are read, and keys that are shown. */
const [MOST_STARTS, MOST_KEYS, MOST_SQUARES] = [200, 8, 8]
const AGAIN_MS = 5_000

const ICONS: Readonly<Record<BlockLine["about"], IconName>> = {
  key: "key",
  rate: "clock",
  merge: "merge",
  later: "clock",
  rank: "up",
  expires: "clock",
}

interface Props {
  readonly api: Api
  readonly flow: string
  readonly block: SaidStart
}

export function HowRunsStart({ api, flow, block }: Props) {
  const lines = blockLines(block)
  if (lines.length === 0) return null
  return (
    <section className="panel" aria-labelledby="how-runs-start">
      <div className={css.head}>
        <h2 id="how-runs-start">How its runs start</h2>
        <span className="grow" />
        <Link className="link" href={addressOf("flows", flow)}>
          Edit
        </Link>
      </div>
      <ul className={own.words}>
        {lines.map(({ about, main, rest }) => (
          <li key={about}>
            <Icon name={ICONS[about]} kind="i-s" />
            <span>
              <b>{main}</b> {rest}
            </span>
          </li>
        ))}
      </ul>
      <Keys api={api} flow={flow} names={keyNames((block.concurrency ?? block.throttle ?? block.debounce ?? block.batch)?.key)} />
    </section>
  )
}

function Keys({ api, flow, names }: { readonly api: Api; readonly flow: string; readonly names: string | undefined }) {
  const asked = useAsked(["once", "starts of flow", flow], async () => startsOf(api, flow), {
    live: { pollMs: AGAIN_MS, slowMs: AGAIN_MS },
  })
  const { value } = asked
  if (value === undefined) return null
  const keys = keysAtWork(value.rows)
  const working = value.rows.filter(({ state }) => state === "running").length
  const waiting = value.rows.length - working
  const more = value.hasMore ? " or more" : ""
  return (
    <>
      <p className={own.sums}>
        <b>Keys at work and waiting</b>
        <span className="num">{keys.length === 0 ? "none now" : `${working}${more} at work, ${waiting}${more} wait`}</span>
      </p>
      {keys.length > 0 && (
        <ul className={own.keys} aria-label="Keys at work and waiting">
          {keys.slice(0, MOST_KEYS).map((one) => (
            <KeyRow key={one.key} of={one} names={names} />
          ))}
        </ul>
      )}
      {waiting > 0 && (
        <p className={own.foot}>
          <Link className="link" href={runsOf(flow, "+status:queued")}>
            All that wait
          </Link>
        </p>
      )}
    </>
  )
}

async function startsOf(api: Api, flow: string) {
  const page = await new StartsClient(api.transport).list({ flow, limit: MOST_STARTS }).page()
  return { rows: page.data, hasMore: page.next_cursor !== null }
}

function KeyRow({ of: { key, working, waiting, run }, names }: { readonly of: KeyAtWork; readonly names: string | undefined }) {
  return (
    <li>
      <span className="mono cut" title={names === undefined ? key : `${names}: ${key}`}>
        {key === "" ? "all together" : key}
      </span>
      <span className={own.squares} role="img" aria-label={`${working} at work, ${waiting} wait`}>
        {squares(working).map((at) => (
          <i key={`w${at}`} className={own.works} />
        ))}
        {squares(waiting).map((at) => (
          <i key={`q${at}`} className={own.waits} />
        ))}
        <span aria-hidden="true">{waiting === 0 ? "none waits" : waiting === 1 ? "1 waits" : `${waiting} wait`}</span>
      </span>
      <Link className="link mono" href={addressOf("runs", run)}>
        {run.slice(0, 10)}
      </Link>
    </li>
  )
}

const squares = (count: number): readonly number[] => Array.from({ length: Math.min(count, MOST_SQUARES) }, (_, at) => at)
