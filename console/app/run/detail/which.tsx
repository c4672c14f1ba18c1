// Offers one of the passes of a step, or of its turns: buttons while they leave room for the name beside them, then a list.

import { classes } from "../../parts/classes.ts"
import css from "./detail.module.css"

interface Props {
  /** "Pass" or "Turn". */
  readonly label: string
  /** As they are counted for people: the first is 1. */
  readonly numbers: readonly number[]
  readonly chosen: number | undefined
  readonly onChoose: (number: number) => void
}

const MAX_BUTTONS = 3

export function Which({ label, numbers, chosen, onChoose }: Props) {
  const word = label.toLowerCase()
  if (numbers.length <= 1) return null
  if (numbers.length > MAX_BUTTONS)
    return (
      <select
        className={classes("input", css.which)}
        aria-label={label}
        value={chosen}
        onChange={({ target }) => onChoose(Number(target.value))}
      >
        {numbers.map((number) => (
          <option key={number} value={number}>
            {word} {number} of {numbers.at(-1)}
          </option>
        ))}
      </select>
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
