// The context of each turn of a pass as bars: outlined is from the cache, filled is read anew; a dashed line stands where earlier turns were
// shortened. A bar opens its turn.

import { contextWords, type ContextBar } from "../../../../web/run/context.ts"
import { classes } from "../../parts/classes.ts"
import { tokens } from "../../parts/figures.ts"
import { select } from "../selection.ts"
import css from "./context-plot.module.css"

/** In px. */
const HEIGHT = 84

export function ContextPlot({ bars, chosen }: { readonly bars: readonly ContextBar[]; readonly chosen: number | undefined }) {
  if (bars.length < 2) return null
  const most = Math.max(1, ...bars.map(({ cached, anew }) => cached + anew))
  const high = (count: number): number => (HEIGHT * count) / most
  return (
    <figure className={css.plot}>
      <figcaption>
        Context by turn <span className="dim">tokens, at most {tokens(most)}</span>
      </figcaption>
      <div className={css.bars} style={{ height: HEIGHT }} role="img" aria-label={contextWords(bars)}>
        {bars.map(({ turn, cached, anew, isShortened }) => (
          <span
            key={turn}
            className={classes(css.turn, turn === chosen && css.on, isShortened && css.short)}
            title={`Turn ${turn + 1}: ${tokens(cached + anew)} tokens, ${tokens(cached)} from cache${isShortened ? "; earlier turns were shortened" : ""}`}
            onClick={() => select({ call: `t${turn}` })}
          >
            <i className={css.anew} style={{ height: high(anew) }} />
            <i className={css.cached} style={{ height: high(cached) }} />
          </span>
        ))}
      </div>
      <table className="vh">
        <caption>Context by turn</caption>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">From cache</th>
            <th scope="col">Read anew</th>
            <th scope="col">Written</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ turn, cached, anew, written, isShortened }) => (
            <tr key={turn}>
              <th scope="row">
                {turn + 1}
                {isShortened && ", after earlier turns were shortened"}
              </th>
              <td>{cached}</td>
              <td>{anew}</td>
              <td>{written}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
