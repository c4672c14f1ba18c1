// The field of a combobox and its list, by the library: arrows and letters move, Enter takes, Escape closes the list alone.

import { Autocomplete } from "@base-ui/react/autocomplete"
import { Combobox } from "@base-ui/react/combobox"
import { CSPProvider } from "@base-ui/react/csp-provider"
import type { Choice, ComboboxProps } from "./choice.ts"
import { classes } from "./classes.ts"
import css from "./popup.module.css"

/** A longer list is shortened to what fits the words typed. */
const MAX_SHOWN = 60

export function ComboboxBox({ isFree = false, ...props }: ComboboxProps) {
  return <CSPProvider disableStyleElements>{isFree ? <Free {...props} /> : <Closed {...props} />}</CSPProvider>
}

function Free({ value, choices, onChange, className, ...field }: Omit<ComboboxProps, "isFree">) {
  return (
    <Autocomplete.Root
      items={choices}
      value={value}
      onValueChange={onChange}
      itemToStringValue={valueOf}
      filter={matches}
      limit={MAX_SHOWN}
      openOnInputClick
    >
      <Autocomplete.Input {...field} className={classes("input", className)} autoComplete="off" spellCheck={false} />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className={css.positioner} sideOffset={4} align="start">
          <Autocomplete.Popup className={css.popup}>
            <Autocomplete.List className={css.list}>
              {(choice: Choice) => (
                <Autocomplete.Item key={choice.value} className={css.item} value={choice}>
                  <Words {...choice} />
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  )
}

function Closed({ value, choices, onChange, className, ...field }: Omit<ComboboxProps, "isFree">) {
  const chosen = choices.find((one) => one.value === value) ?? (value === "" ? null : { value })
  return (
    <Combobox.Root
      items={choices}
      value={chosen}
      onValueChange={(choice: Choice | null) => choice && onChange(choice.value)}
      isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
      itemToStringLabel={wordsOf}
      filter={matches}
      limit={MAX_SHOWN}
      autoHighlight
    >
      <Combobox.Input
        {...field}
        className={classes("input", className)}
        autoComplete="off"
        spellCheck={false}
        // What is typed stands for another choice, and not behind the one that is there.
        onFocus={({ target }) => target instanceof HTMLInputElement && target.select()}
      />
      <Combobox.Portal>
        <Combobox.Positioner className={css.positioner} sideOffset={4} align="start">
          <Combobox.Popup className={css.popup}>
            <Combobox.Empty className={css.empty}>No matches</Combobox.Empty>
            <Combobox.List className={css.list}>
              {(choice: Choice) => (
                <Combobox.Item key={choice.value} className={css.item} value={choice}>
                  <Words {...choice} />
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  )
}

function Words(choice: Choice) {
  return (
    <>
      <span className="cut">{wordsOf(choice)}</span>
      {choice.note !== undefined && <span className={classes("dim", "cut", css.note)}>{choice.note}</span>}
    </>
  )
}

const valueOf = (choice: Choice): string => choice.value
const wordsOf = (choice: Choice): string => choice.words ?? choice.value

/** Every word typed is somewhere in what the row shows. */
function matches(choice: Choice, typed: string): boolean {
  const text = `${choice.value} ${choice.words ?? ""} ${choice.note ?? ""}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
