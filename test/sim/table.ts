// A seed as a table: when, who, what; with the faults where they happened, and the findings where they were found.

import { play, type Played, type PlayOptions } from "./play.ts"

export async function tableOf(options: PlayOptions): Promise<{ readonly rows: readonly string[]; readonly played: Played }> {
  const rows: string[] = []
  const played = await play({
    ...options,
    watch: ({ at, label }) => void rows.push(`${(at / 1000).toFixed(3).padStart(10)}  ${label}`),
    fault: (name) => void rows.push(`${"".padStart(10)}  *** ${name}`),
    finding: (what) => void rows.push(`${"".padStart(10)}  !!! ${what}`),
  })
  return { rows, played }
}
