// Says what an experiment would take.

import { money } from "../chat/wording.ts"

interface Forecast {
  readonly rows: number
  readonly looked: number
  readonly same: number
  readonly trials: number
  readonly typical: { readonly tokens: number; readonly usd: number | null }
}

export function forecastWords({ rows, looked, same, trials, typical: { tokens, usd } }: Forecast): string {
  if (rows === 0) return "There is no row: the flow has no run that ended."
  const differ = same === looked ? "none differs: it costs nothing" : `${same} need no model`
  const cost = usd === null ? `${tokens.toLocaleString("en-US")} tokens` : money(usd)
  return [
    `${rows} rows. Of ${looked} that were looked at, ${differ}.`,
    ...(trials === 0 ? [] : [`About ${trials} trials, of which a recorded run took ${cost} each from where they part.`]),
  ].join(" ")
}
