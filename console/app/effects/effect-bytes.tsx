// One effect: which tool, when, and the exact request as it leaves. A secret is named and never shown.

import type { ReactNode, RefObject } from "react"
import type { EffectShown } from "../../../src/api/doc/run/effects.doc.ts"
import type { Json } from "../../../src/core/json.ts"
import { visible } from "../../../web/chat/wording.ts"
import { Exact } from "../inbox/exact.tsx"
import { classes } from "../parts/classes.ts"
import css from "./effects.module.css"

/** What is known of a kept call before its ledger is read. */
export type EffectLike = Pick<EffectShown, "key" | "run" | "step" | "pass" | "tool" | "args"> & Partial<EffectShown>

const bodyText = (body: Json): string => visible(typeof body === "string" ? body : body)

export function EffectBytes({ effect, node }: { readonly effect: EffectLike; readonly node?: RefObject<HTMLPreElement | null> }) {
  const { request, tool, args, idempotency_key: key } = effect
  const label = `The exact request of ${visible(tool)}`
  if (!request) return <Exact label={label} name={visible(tool)} text={visible(args)} {...(node && { node })} />
  const lines = [
    visible(request.url),
    key === undefined ? "" : `\nIdempotency-Key: ${visible(key)}`,
    ...(request.secretHeaders ?? []).map((name) => `\n${visible(name)}: a secret, added on the way out`),
    request.body === undefined ? "" : `\n${bodyText(request.body)}`,
  ]
  return <Exact label={label} name={visible(request.method)} text={lines.join("")} {...(node && { node })} />
}

interface RowProps {
  readonly at: number
  readonly effect: EffectLike
  readonly box: { readonly verb: string; readonly isChecked: boolean; readonly isOff?: boolean; readonly onChange: () => void }
  readonly place: string
  readonly children: ReactNode
}

/** With a box to choose it; the request stands below it, chosen or not. */
export function EffectRow({ at, effect, box, place, children }: RowProps) {
  return (
    <li>
      <label className={box.isChecked ? css.fxH : classes(css.fxH, css.off)}>
        <span className={css.n}>{at + 1}</span>
        <input
          type="checkbox"
          aria-label={`${box.verb} ${visible(effect.tool)}`}
          checked={box.isChecked}
          disabled={box.isOff === true}
          onChange={box.onChange}
        />
        <b className="mono cut">{visible(effect.tool)}</b>
        <span className="mono dim cut hide-s">{visible(effect.target ?? "")}</span>
        <span className="num dim">{place}</span>
      </label>
      <EffectBytes effect={effect} />
      <p className={css.sim}>{children}</p>
    </li>
  )
}
