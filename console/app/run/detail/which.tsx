// Offers one of the passes of a step, or of its turns: buttons while they leave room for the name beside them, then a list.

import { Select } from "../../parts/select.tsx"
import css from "./detail.module.css"

interface Props {
  /** "Pass" or "Turn". */
  readonly label: string
  /** As they are counted for people: the first is 1. */
  readonly numbers: readonly number[]
  readonly chosen: number | undefined
  readonly onChoose: (number: number) => void
}

const MAX_BUTTONS = 2

export function Which({ label, numbers, chosen, onChoose }: Props) {
  const word = label.toLowerCase()
  if (numbers.length <= 1) return null
  if (numbers.length > MAX_BUTTONS)
    return (
      <Select
        className={css.which}
        aria-label={label}
        value={String(chosen ?? "")}
        choices={numbers.map((number) => ({ value: String(number), words: `${word} ${number} of ${numbers.at(-1)}` }))}
        onChange={(given) => onChoose(Number(given))}
      />
    )
  return (
    <span className="pick" role="group" aria-label={label}>
      {numbers.map((number) => (
        <button key={number} type="button" aria-pressed={number === chosen} onClick={() => onChoose(number)}>
          {word} {number}
        </button>
      ))}
    </span>
  )
}
