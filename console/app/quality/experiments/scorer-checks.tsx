// The scorers of an experiment, to choose some of.

import type { ScorerRow } from "../../../../src/api/doc/quality.doc.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { KIND_WORDS } from "../../../../web/quality/scorer-words.ts"
import { CheckField } from "../../settings/parts/fields.tsx"

interface Props {
  readonly scorers: readonly ScorerRow[]
  readonly chosen: readonly string[]
  readonly fault: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

export function ScorerChecks({ scorers, chosen, fault, onChange }: Props) {
  return (
    <fieldset className="bare">
      <legend className="small">Scorers</legend>
      {scorers.map(({ name, kind }) => (
        <CheckField
          key={name}
          label={`${visible(name)}, ${KIND_WORDS[kind]}`}
          isOn={chosen.includes(name)}
          onChange={(isOn) => onChange(isOn ? [...chosen, name] : chosen.filter((one) => one !== name))}
        />
      ))}
      {fault !== undefined && (
        <p className="msg error" role="alert">
          <span>{visible(fault)}</span>
        </p>
      )}
    </fieldset>
  )
}
