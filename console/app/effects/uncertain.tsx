// A call that left and whose answer nobody has [K33]: a person looks there, and says what happened. Once.

import { useRef, useState } from "react"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import { visible } from "../../../web/chat/wording.ts"
import { FaultLine } from "../inbox/fault-line.tsx"
import { Frame, type Around } from "../inbox/frame.tsx"
import { useSeen } from "../inbox/use-seen.ts"
import { resolveEffect } from "../inbox/asks.ts"
import { faultOf } from "../parts/fault.ts"
import { fullTime } from "../parts/figures.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { EffectBytes } from "./effect-bytes.tsx"
import { classes } from "../parts/classes.ts"
import inboxCss from "../inbox/inbox.module.css"
import css from "./effects.module.css"

interface Props {
  readonly api: Api
  readonly effect: EffectShown
  readonly around: Around
  readonly onResolved: (effect: EffectShown) => void
}

export function Uncertain({ api, effect, around, onResolved }: Props) {
  const [first, setFirst] = useState<EffectShown>()
  const [fault, setFault] = useState<string>()
  const [isSending, setSending] = useState(false)
  const [request, foot] = [useRef<HTMLPreElement>(null), useRef<HTMLElement>(null)]
  const seen = useSeen(request, foot, `${effect.run} ${effect.key}`)
  const shown = first ?? effect
  const isOpen = shown.state === "uncertain"
  const say = (resolve: "happened" | "did_not", isByKey: boolean): void => {
    if (!isOpen || isSending || !seen.isSettled()) return
    if (isByKey && !seen.isRead()) {
      setFault("Scroll to the end of the request first.")
      request.current?.lastElementChild?.scrollIntoView({ block: "center" })
      return
    }
    setSending(true)
    setFault(undefined)
    api.runs
      .resolve(effect.run, effect.key, resolve)
      .then(onResolved)
      .catch((error: unknown) => {
        const found = error instanceof SluiceError && error.code === "not_uncertain" ? error.problem["effect"] : undefined
        if (typeof found !== "object" || found === null) return setFault(faultOf(error))
        setFirst({ ...effect, ...found } as EffectShown)
        resolveEffect(effect)
      })
      .finally(() => setSending(false))
  }
  useKeys("effects", { happened: () => say("happened", true), didNot: () => say("did_not", true) })
  const tool = visible(effect.tool)
  return (
    <Frame
      mark={
        <span className={isOpen ? "st blocked" : "st"}>
          <Icon name="help" kind="i-s" />
          {isOpen ? "Uncertain" : "Resolved"}
        </span>
      }
      around={around}
      run={addressOf("runs", effect.run)}
      foot={foot}
      title={
        <>
          Did <span className="mono">{tool}</span> happen?
        </>
      }
      sub={`No answer came by ${fullTime(effect.at)}. It was not sent again.`}
      side={
        <section>
          <h3>Context</h3>
          <dl className={classes("kv", inboxCss.ctx)}>
            <dt>Run</dt>
            <dd>
              <Link className="link id" href={addressOf("runs", effect.run)}>
                {effect.run}
              </Link>
            </dd>
            <dt>Step</dt>
            <dd>
              {visible(effect.step)}, pass {effect.pass}
            </dd>
            <dt>Host</dt>
            <dd>{visible(effect.target)}</dd>
            <dt>Effect</dt>
            <dd className="mono">{visible(effect.key)}</dd>
          </dl>
        </section>
      }
      acts={<span className="dim">It stays open until a person answers.</span>}
    >
      <FaultLine fault={fault} />
      {!isOpen && (
        <p className="note complete" role="alert">
          <span>
            Someone answered first: {shown.state}
            {shown.by === undefined ? "" : ` by ${visible(shown.by)}`}, {fullTime(shown.at)}.
          </span>
        </p>
      )}
      <section>
        <h3>The exact request, as it left</h3>
        <EffectBytes effect={effect} node={request} />
      </section>
      <section>
        <h3>What is known</h3>
        <ul className={inboxCss.whys}>
          {effect.reason !== undefined && (
            <li>
              <Icon name="clock" kind="i-s dim" />
              <span className="words">{visible(effect.reason)}</span>
            </li>
          )}
          <li>
            <Icon name="child" kind="i-s dim" />
            <span>The agent was told that the outcome is unknown. Your answer is recorded with the effect; the run does not change.</span>
          </li>
        </ul>
      </section>
      {isOpen && (
        <section>
          <h3>Check there, then answer</h3>
          <div className={css.big2}>
            <button className={css.choice} type="button" aria-disabled={isSending} onClick={() => say("happened", false)}>
              <b>It happened</b>
              <span className="mid">
                Recorded as confirmed by you. {effect.undoable ? "It can then be undone." : "Its tool has no undo."}
              </span>
              <kbd>Y</kbd>
            </button>
            <button className={css.choice} type="button" aria-disabled={isSending} onClick={() => say("did_not", false)}>
              <b>It did not</b>
              <span className="mid">Recorded as failed by you. Fork from the call to send it.</span>
              <kbd>N</kbd>
            </button>
          </div>
          <p className="dim small">The first answer counts; a second one is refused and shows who was first.</p>
        </section>
      )}
    </Frame>
  )
}
