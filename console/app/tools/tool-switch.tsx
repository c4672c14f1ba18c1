// The switch of a tool. It takes effect at once; what a rule of the policy denies, or the instance lacks, it cannot switch.

import type { ToolRow } from "../../../web/tools/tool-list.ts"
import type { Switching } from "./use-tools.ts"
import css from "./tools.module.css"

interface Props {
  readonly tool: ToolRow
  readonly by: Switching
  readonly mayWrite: boolean
}

export const canFlip = ({ state }: ToolRow): boolean => state.is === "on" || (state.is === "off" && state.why === "own")

/** Why it cannot be switched here. */
export function whyFixed({ state }: ToolRow): string | undefined {
  if (state.is === "missing") return `Not set up: ${state.reason}`
  return state.is === "off" && state.why === "rule" ? `Off by a rule of the policy: ${state.rule}` : undefined
}

export function ToolSwitch({ tool, by, mayWrite }: Props) {
  const isOn = tool.state.is === "on"
  const isFixed = !mayWrite || !canFlip(tool) || by.busy === tool.name
  return (
    <button
      className={css.sw}
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-disabled={isFixed}
      aria-label={`${tool.name}, enabled`}
      title={whyFixed(tool)}
      onClick={() => !isFixed && by.flip(tool.name, !isOn)}
    >
      <i />
    </button>
  )
}
