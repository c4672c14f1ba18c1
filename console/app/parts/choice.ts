// Describes the fields with a list of choices.

export interface Choice {
  readonly value: string
  /** What is shown and looked through; the value itself if there is none. */
  readonly words?: string
  /** The dim words behind it. */
  readonly note?: string
  /** The heading it stands under, with its neighbors of the same. */
  readonly group?: string
}

export interface ComboboxProps {
  readonly id: string
  readonly value: string
  readonly choices: readonly Choice[]
  readonly onChange: (value: string) => void
  /** Whether a text that is not in the list is a value too. */
  readonly isFree?: boolean
  readonly className?: string | undefined
  readonly placeholder?: string | undefined
  readonly "aria-label"?: string
  readonly "aria-invalid"?: boolean
  readonly "aria-describedby"?: string
}

export interface SelectProps<T extends string = string> {
  readonly id?: string
  readonly value: T
  readonly choices: readonly (Choice & { readonly value: T })[]
  readonly onChange: (value: T) => void
  readonly className?: string | undefined
  /** There is nothing to choose yet. */
  readonly isOff?: boolean
  readonly "aria-label"?: string
  readonly "aria-invalid"?: boolean
  readonly "aria-required"?: boolean
  readonly "aria-labelledby"?: string
  readonly "aria-describedby"?: string
}
