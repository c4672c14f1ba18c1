// Did the last revision make it worse? Says how the runs of a revision fail, and how long they take, beside those of the one before.

import { differs, percent, type Together } from "../overview/changes.ts"

export interface RevisionsCompared {
  readonly isWorse: boolean
  /** "fails 30 times as often as r17, and is as fast" */
  readonly words: string
}

const FEWEST = 5
const [SLOWER, TIMES] = [1.25, 1.5]

export function compared(name: string, now: Together, beforeName: string, before: Together): RevisionsCompared {
  if (before.ended < FEWEST || now.ended < FEWEST)
    return { isWorse: false, words: `${name} has too few runs to compare with ${beforeName}` }
  const [was, is] = [before.share ?? 0, now.share ?? 0]
  const isOther = differs(was, is, before.ended, now.ended)
  const failing = isOther
    ? is > was
      ? moreOften(was, is, beforeName)
      : `fails less often than ${beforeName}`
    : `fails as often as ${beforeName}`
  const [then, p95] = [before.p95, now.p95]
  const pace =
    then === null || p95 === null || then === 0 ? "" : p95 > then * SLOWER ? "slower" : p95 < then / SLOWER ? "faster" : "as fast"
  return { isWorse: isOther && is > was, words: `${name} ${failing}${pace === "" ? "" : `, and is ${pace}`}` }
}

function moreOften(was: number, is: number, name: string): string {
  if (was === 0) return `fails ${percent(is)}% of the time, which ${name} never did`
  const times = is / was
  return times < TIMES
    ? `fails more often than ${name}`
    : `fails ${times < 10 ? Number(times.toPrecision(2)) : Math.round(times)} times as often as ${name}`
}
