// What this browser keeps for itself: the theme, and whether single letters are keys.

import { useState } from "react"
import { areLettersKeys, letLettersBeKeys } from "../shell/keys.ts"
import { chooseTheme, chosenTheme, type Theme } from "../shell/theme.ts"
import { CheckField, ChoiceField } from "./parts/fields.tsx"
import { Head } from "./parts/head.tsx"

const THEMES = [
  ["system", "Same as the system"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const satisfies readonly (readonly [Theme, string])[]

export function ThisBrowser() {
  const [theme, setTheme] = useState(chosenTheme)
  const [areKeys, setKeys] = useState(areLettersKeys)
  return (
    <>
      <Head title="This browser" about="Kept in this browser only, for everyone who signs in here." />
      <div className="panel dlg-l">
        <ChoiceField
          label="Theme"
          value={theme}
          options={THEMES}
          onChange={(chosen) => {
            chooseTheme(chosen)
            setTheme(chosen)
          }}
        />
        <CheckField
          label="Single letters are keys: J and K move, A approves, G R goes to the runs. Press ? for all of them."
          isOn={areKeys}
          onChange={(isOn) => {
            letLettersBeKeys(isOn)
            setKeys(isOn)
          }}
        />
        <p className="hint dim small">When off, only Enter, Escape and the arrow keys work.</p>
      </div>
    </>
  )
}
