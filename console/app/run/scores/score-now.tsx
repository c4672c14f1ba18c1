// Asks scorers for scores of one run.

import { useState } from "react"
import { Scorers } from "../../../../src/client/scorers.ts"
import { ScoresClient } from "../../../../src/client/scores.ts"
import { visible } from "../../../../web/chat/wording.ts"
import { askedWords } from "../../../../web/quality/asked-words.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { CheckField } from "../../settings/parts/fields.tsx"
import { FormDialog } from "../../settings/parts/form-dialog.tsx"
import { FormFault } from "../../settings/parts/wrong.ts"
import type { Api } from "../../shell/session.ts"

interface Props {
  readonly api: Api
  readonly run: string
  readonly onClose: () => void
  readonly onAsked: (words: string) => void
}

/** Scorers of one request. */
const MOST = 10

export function ScoreNow({ api, run, onClose, onAsked }: Props) {
  const scorers = useAsked(["catalog", "scorers"], () => new Scorers(api.transport).list().all())
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [again, setAgain] = useState(false)
  return (
    <FormDialog
      title="Score this run"
      act={chosen.size === 0 ? "Score" : `Score with ${chosen.size}`}
      places={["/scorers"]}
      onClose={onClose}
      onDone={() => undefined}
      send={async () => {
        if (chosen.size === 0 || chosen.size > MOST) throw new FormFault({ "/scorers": `Choose 1 to ${MOST} scorers.` })
        onAsked(askedWords((await new ScoresClient(api.transport).ask(run, [...chosen], again)).data))
      }}
    >
      {(faults) => (
        <>
          <AskedView what="the scorers" of={scorers}>
            {(rows) => (
              <fieldset className="bare">
                <legend className="vh">Scorers</legend>
                {rows.map(({ name, kind, description }) => (
                  <CheckField
                    key={name}
                    label={`${name}, ${KINDS[kind]}: ${visible(description)}`}
                    isOn={chosen.has(name)}
                    onChange={(isOn) =>
                      setChosen((before) => {
                        const next = new Set(before)
                        if (isOn) next.add(name)
                        else next.delete(name)
                        return next
                      })
                    }
                  />
                ))}
              </fieldset>
            )}
          </AskedView>
          {faults["/scorers"] !== undefined && (
            <p className="msg error" role="alert">
              <span>{visible(faults["/scorers"])}</span>
            </p>
          )}
          <CheckField label="Score again, also where this version has scored the run" isOn={again} onChange={setAgain} />
          <p className="mid small">A judge asks its model and pays for it, up to the day’s budget for scoring.</p>
        </>
      )}
    </FormDialog>
  )
}

const KINDS = { expect: "an expectation", code: "code", judge: "a judge", "built-in": "built in" } as const
