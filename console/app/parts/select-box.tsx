// The button of a select and its list, by the library: arrows move, a letter leads to the next row that begins with it, Enter takes.

import { CSPProvider } from "@base-ui/react/csp-provider"
import { Select } from "@base-ui/react/select"
import { Icon } from "../shell/icons.tsx"
import type { SelectProps } from "./choice.ts"
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
                {choices.map((choice) => (
                  <Select.Item key={choice.value} className={css.item} value={choice.value} label={choice.words ?? choice.value}>
                    <Select.ItemText className="cut">{choice.words ?? choice.value}</Select.ItemText>
                    {choice.note !== undefined && <span className={classes("dim", "cut", css.note)}>{choice.note}</span>}
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
    </CSPProvider>
  )
}
