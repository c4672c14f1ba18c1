// The two times of a row: half of them took no longer, and 95 of 100.

import { duration } from "../parts/figures.ts"

export const TimeHeads = () => (
  <>
    <th scope="col" className="num">
      p50
    </th>
    <th scope="col" className="num">
      p95
    </th>
  </>
)

interface Props {
  readonly p50: number | null | undefined
  readonly p95: number | null | undefined
}

export const TimeCells = ({ p50, p95 }: Props) => (
  <>
    <td className="num">{timeWords(p50)}</td>
    <td className="num">{timeWords(p95)}</td>
  </>
)

const timeWords = (ms: number | null | undefined): string => (ms === null || ms === undefined ? "–" : duration(ms))
