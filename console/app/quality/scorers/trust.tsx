// Says whether a judge can be trusted: its agreement with people, with the interval, and the means of its probe.

import { useState, type CSSProperties } from "react"
import type { ScorerTrust } from "../../../../src/api/doc/quality.doc.ts"
import { Scorers } from "../../../../src/client/scorers.ts"
import { agreementWords, flagWords, probeWords } from "../../../../web/quality/trust-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { fullTime, shortTime } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import type { Api } from "../../shell/session.ts"
import { ProbeJudge } from "./probe-judge.tsx"
import css from "./trust.module.css"

/** A probe takes seconds to minutes. */
const LIVE = { pollMs: 3_000, slowMs: 10_000 }

const useTrust = (api: Api, name: string) =>
  useAsked(["scores", "trust", name], () => new Scorers(api.transport).trust(name), { live: LIVE })

export function Trust({ api, name }: { readonly api: Api; readonly name: string }) {
  const trust = useTrust(api, name)
  const [isProbing, setProbing] = useState(false)
  const mayRun = api.who.scopes.includes("runs:write")
  useKeys("scorer", { probe: () => (mayRun ? setProbing(true) : false) })
  return (
    <section className="panel" aria-labelledby="trust">
      <div className="panel-head">
        <h2 id="trust">Can {name} be trusted?</h2>
        <span className="grow" />
        {mayRun && (
          <button className="btn" type="button" onClick={() => setProbing(true)}>
            Probe <kbd>P</kbd>
          </button>
        )}
      </div>
      <div className={css.in}>
        <AskedView what="the trust" of={trust}>
          {({ versions: [now], probe, flags }) => (
            <>
              {flags.map((flag) => (
                <p key={flag} className="msg waiting">
                  <Icon name="warn" kind="i-s" />
                  <span>{flagWords(flag)}</span>
                </p>
              ))}
              <h3>Agrees with people</h3>
              {now !== undefined && <Kappa of={now} />}
              <p className="small mid">{now === undefined ? "Nobody has graded a run that it scored." : agreementWords(now)}</p>
              <h3>Probe</h3>
              {probe === undefined ? (
                <p className="small mid">It was never probed: does it read what it judges, and can it be talked up?</p>
              ) : (
                <>
                  {probe.status === "done" && <Bars probe={probe} />}
                  <p className="small mid">
                    {probeWords(probe)} <span title={fullTime(probe.at)}>{shortTime(probe.at)}.</span>
                  </p>
                </>
              )}
              <Link className="link small" href={addressOf("quality", "grading")}>
                Grade more
              </Link>
            </>
          )}
        </AskedView>
      </div>
      {isProbing && (
        <ProbeJudge
          api={api}
          name={name}
          onClose={() => setProbing(false)}
          onBegun={() => {
            setProbing(false)
            trust.again()
          }}
        />
      )}
    </section>
  )
}

/** In the list of scorers. */
export function TrustCell({ api, name }: { readonly api: Api; readonly name: string }) {
  const { value } = useTrust(api, name)
  const now = value?.versions[0]
  if (now === undefined || now.pairs === 0) return <span className="dim">no grades</span>
  return (
    <>
      <Kappa of={now} />
      <span className="dim small">{now.pairs === 1 ? "1 grade" : `${now.pairs} grades`}</span>
      {value?.flags.some((flag) => flag !== "few_grades") === true && <span className="tag error">see why not to trust it</span>}
    </>
  )
}

function Kappa({ of: { kappa, interval } }: { readonly of: ScorerTrust["versions"][number] }) {
  if (kappa === null) return null
  const share = (value: number): number => Math.max(0, Math.min(1, value))
  const [low, high] = interval ?? []
  const between = low === undefined || high === undefined ? "" : `, from ${low.toFixed(2)} to ${high.toFixed(2)}`
  return (
    <span className={css.kappa}>
      <span className={css.scale} role="img" aria-label={`Agreement ${kappa.toFixed(2)}${between}, of 1`}>
        {low !== undefined && high !== undefined && <i style={{ "--a": share(low), "--b": share(high) } as CSSProperties} />}
        <b style={{ "--a": share(kappa) } as CSSProperties} />
      </span>
      <b className="num">{kappa.toFixed(2)}</b>
    </span>
  )
}

function Bars({ probe }: { readonly probe: NonNullable<ScorerTrust["probe"]> }) {
  return (
    <ul className={css.bars}>
      {(["plain", "empty", "urged"] as const).map((way) => (
        <li key={way}>
          <span>{way}</span>
          <span className={css.bar}>
            <i style={{ "--a": probe[way] ?? 0 } as CSSProperties} />
          </span>
          <b className="num">{probe[way]?.toFixed(2) ?? "–"}</b>
        </li>
      ))}
    </ul>
  )
}
