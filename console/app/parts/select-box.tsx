// The button of a select and its list, by the library: arrows move, a letter leads to the next row that begins with it, Enter takes.

import { CSPProvider } from "@base-ui/react/csp-provider"
import { Select } from "@base-ui/react/select"
import { Icon } from "../shell/icons.tsx"
import type { Choice, SelectProps } from "./choice.ts"
import { classes } from "./classes.ts"
import css from "./popup.module.css"

export function SelectBox({ value, choices, onChange, className, isOff = false, ...field }: SelectProps) {
  const shown = choices.find((one) => one.value === value)
  return (
    <CSPProvider disableStyleElements>
      <Select.Root value={value} onValueChange={(given) => given !== null && onChange(given)} modal={false} disabled={isOff}>
        <Select.Trigger {...field} className={classes("input", css.trigger, className)}>
          <span className="cut">{shown?.words ?? value}</span>
          <Icon name="down" kind="i-s" />
        </Select.Trigger>
        <Select.Portal>
          <Select.Positioner className={css.positioner} sideOffset={4} align="start" alignItemWithTrigger={false}>
            <Select.Popup className={css.popup}>
              <Select.List className={css.list}>
                {[...new Set(choices.map(({ group }) => group))].map((group) => (
                  <Select.Group key={group ?? ""}>
                    {group !== undefined && <Select.GroupLabel className={css.group}>{group}</Select.GroupLabel>}
                    {choices.map((choice) => choice.group === group && <Row key={choice.value} choice={choice} />)}
                  </Select.Group>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </CSPProvider>
  )
}

function Row({ choice: { value, words = value, note } }: { readonly choice: Choice }) {
  return (
    <Select.Item className={css.item} value={value} label={words}>
      <Select.ItemText className="cut">{words}</Select.ItemText>
      {note !== undefined && <span className={classes("dim", "cut", css.note)}>{note}</span>}
    </Select.Item>
  )
}
