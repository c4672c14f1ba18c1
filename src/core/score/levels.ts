// Reads the levels of a judge [V2, V6], and finds the level for a text or a number.

import { MAX_LEVEL_TEXT, MAX_LEVELS } from "./scorer-fields.ts"
import type { Level } from "../flow/scorer.ts"

/** The worst first; undefined: a key is no number, or a value no text. */
export function levelsOf(value: Readonly<Record<string, unknown>>): readonly Level[] | undefined {
  const levels: Level[] = []
  for (const [key, text] of Object.entries(value)) {
    const score = /^(?:\d+|\d*\.\d+)$/.test(key) ? Number(key) : Number.NaN
    if (Number.isNaN(score) || typeof text !== "string") return undefined
    levels.push({ score, text: text.trim() })
  }
  return levels.sort((a, b) => a.score - b.score)
}

export function isLevels(levels: readonly Level[]): boolean {
  const texts = new Set(levels.map(({ text }) => text.trim()))
  const scores = new Set(levels.map(({ score }) => score))
  return (
    levels.length >= 2 &&
    levels.length <= MAX_LEVELS &&
    texts.size === levels.length &&
    scores.size === levels.length &&
    levels.every(({ score, text }) => score >= 0 && score <= 1 && text.trim() !== "" && text.length <= MAX_LEVEL_TEXT)
  )
}
