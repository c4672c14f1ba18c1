// What the palette offers, and which of it is meant by some words.

import type { IconName } from "./icons.tsx"
import { addressOf, go } from "./place.ts"

export interface PaletteChoice {
  readonly key: string
  readonly icon: IconName
  readonly label: string
  readonly about: string
  /** More that it is found by. */
  readonly words?: string
  /** The keys that do the same. */
  readonly keys?: string
  readonly act: () => void
}

const MAX_SHOWN = 12
const RUN_ID = /^run_[a-z0-9]{20,40}$/i

/** Each word must be in it; what begins with the words comes first, and else the order is kept. A whole run id is a choice of its own. */
export function found(text: string, all: readonly PaletteChoice[]): PaletteChoice[] {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/).filter((word) => word !== "")
  const hits = all.flatMap((choice, order) => {
    const label = choice.label.toLowerCase()
    const whole = `${label} ${choice.about.toLowerCase()} ${choice.words?.toLowerCase() ?? ""}`
    if (!words.every((word) => whole.includes(word))) return []
    return [{ choice, order, rank: label.startsWith(wanted) ? 0 : label.includes(wanted) ? 1 : 2 }]
  })
  const sorted = hits.toSorted((a, b) => a.rank - b.rank || a.order - b.order).map(({ choice }) => choice)
  const isKnown = sorted.some(({ key }) => key === wanted)
  const byId: PaletteChoice[] =
    RUN_ID.test(wanted) && !isKnown
      ? [{ key: wanted, icon: "runs", label: `Open ${wanted}`, about: "run", act: () => go(addressOf("runs", wanted)) }]
      : []
  return [...byId, ...sorted].slice(0, MAX_SHOWN)
}
