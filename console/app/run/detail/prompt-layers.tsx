// The layers of a request in the order in which they are sent, with the line at which the provider's cache ends. A layer opens its text.

import { Fragment } from "react"
import type { StepPrompt } from "../../../../src/api/doc/run/prompts.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { usd as dash } from "../../parts/figures.ts"
import { classes } from "../../parts/classes.ts"
import css from "./prompt.module.css"
import detailCss from "./detail.module.css"

type Layer = StepPrompt["layers"][number]

interface Props {
  readonly prompt: StepPrompt
  readonly chosen: number | undefined
  readonly onChoose: (layer: number) => void
}

export function LayerTable({ prompt: { layers, usage, usd, turn, revision }, chosen, onChoose }: Props) {
  const heaviest = Math.max(1, ...layers.map(({ tokens }) => tokens), usage?.output ?? 0)
  const cacheEnds = layers.findLastIndex(isCached)
  const spent = layers.reduce((sum, one) => sum + (one.usd ?? 0), 0)
  return (
    <table className={css.ptab}>
      <thead>
        <tr>
          <th scope="col">In this order</th>
          <th scope="col" className="num">
            Tokens
          </th>
          <th scope="col" className="num">
            USD
          </th>
        </tr>
      </thead>
      <tbody>
        {layers.map((layer, at) => (
          <Fragment key={at}>
            <tr className={isCached(layer) ? css.cached : undefined}>
              <th scope="row">
                <Weight share={layer.tokens / heaviest} />
                <button
                  className={classes("btn", detailCss.linkBtn)}
                  type="button"
                  aria-expanded={at === chosen}
                  onClick={() => onChoose(at)}
                >
                  {nameOf(layer)}
                </button>
                <span className="dim cut">{aboutOf(layer, revision)}</span>
              </th>
              <td className="num">{layer.tokens.toLocaleString()}</td>
              <td className="num">{money(layer.usd)}</td>
            </tr>
            {at === cacheEnds && (
              <tr className={css.cutline}>
                <td colSpan={3}>
                  <span>cache ends here</span>
                </td>
              </tr>
            )}
          </Fragment>
        ))}
        {usage !== null && (
          <tr>
            <th scope="row">
              <Weight share={usage.output / heaviest} />
              <span className={css.lyN}>Reply</span>
              <span className="dim cut">written</span>
            </th>
            <td className="num">{usage.output.toLocaleString()}</td>
            <td className="num">{money(usd === null ? null : Math.max(0, usd - spent))}</td>
          </tr>
        )}
      </tbody>
      {usage !== null && (
        <tfoot>
          <tr>
            <th scope="row">Turn {turn + 1}</th>
            <td className="num">{(usage.input + usage.output).toLocaleString()}</td>
            <td className="num">{money(usd)}</td>
          </tr>
        </tfoot>
      )}
    </table>
  )
}

/** Parts of a turn are small amounts. */
const money = (amount: number | null): string => (amount === null ? dash(null) : amount.toFixed(4))

export const Weight = ({ share }: { readonly share: number }) => (
  <span className={css.ly} aria-hidden="true">
    <i style={{ width: `max(2px, ${100 * share}%)` }} />
  </span>
)

const isCached = ({ cached, tokens }: Layer): boolean => tokens > 0 && 2 * cached >= tokens

const NAMES: Readonly<Record<Layer["kind"], string>> = {
  tools: "Tools",
  context: "Context",
  skill: "Skill",
  agent: "Agent",
  search: "Tools to find",
  rules: "System",
  task: "Task and inputs",
  summary: "Summary",
  reply: "Reply",
  results: "Results",
  message: "Message",
  earlier: "Earlier turns",
}

const nameOf = ({ kind, turn }: Layer): string => (kind === "reply" && turn !== undefined ? `Turn ${turn + 1}` : NAMES[kind])

function aboutOf({ kind, source, names, count }: Layer, revision: number | null): string {
  if (source !== undefined) return visible(revision === null ? source : `${source}, r${revision}`)
  if (names !== undefined) return visible([...new Set(names)].join(", "))
  if (kind === "tools") return `${count ?? 0} ${count === 1 ? "schema" : "schemas"}`
  if (kind === "earlier") return `${count ?? 0} rows`
  if (kind === "reply") return "its reply"
  return kind === "rules" ? "rules of the engine" : ""
}
