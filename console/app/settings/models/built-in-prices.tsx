// The list of prices that comes with Sluice, to look a model up in.

import { useState } from "react"
import { LIST_DATE, LIST_PRICES } from "../../../../src/core/money/list-prices.ts"
import { counted } from "../../parts/figures.ts"
import { TextField } from "../parts/fields.tsx"

/** Rows that are shown at once. */
const SHOWN = 40

const ROWS = Object.entries(LIST_PRICES).flatMap(([table, models]) =>
  Object.entries(models).map(([model, price]) => ({ table, model, price })),
)

export function BuiltInPrices() {
  const [words, setWords] = useState("")
  const found = ROWS.filter(({ model, table }) => `${table} ${model}`.toLowerCase().includes(words.trim().toLowerCase()))
  return (
    <details className="panel dlg-l">
      <summary>
        The built-in list: {counted(ROWS.length, "model")}, as of {LIST_DATE}
      </summary>
      <p className="small mid">US dollars for a million tokens.</p>
      <TextField label="Find a model" size="middle" value={words} onChange={setWords} />
      <div className="md-t">
        <table className="tbl">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col" className="num">
                Input
              </th>
              <th scope="col" className="num">
                Output
              </th>
              <th scope="col" className="num">
                From cache
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN).map(({ table, model, price }) => (
              <tr key={`${table} ${model}`}>
                <th scope="row" className="mono">
                  {model}
                </th>
                <td className="num">{price.input}</td>
                <td className="num">{price.output}</td>
                <td className="num">{price.cacheRead ?? "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {found.length > SHOWN && <p className="small dim">And {counted(found.length - SHOWN, "more model")}. Type a part of a name.</p>}
      {found.length === 0 && <p className="small mid">No matches. Add a price of your own.</p>}
    </details>
  )
}
