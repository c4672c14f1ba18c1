// Shows what was said of a run: the newest score of each scorer with its reason and its judge's run, and people's feedback, which is also given here.

import { useState } from "react"
import { ScoresClient } from "../../../../src/client/scores.ts"
import { newestOf } from "../../../../web/quality/feedback.ts"
import { useAsked } from "../../parts/asked.ts"
import { AskedView } from "../../parts/asked-view.tsx"
import { AddToDataset } from "../../quality/add-to-dataset.tsx"
import { Icon } from "../../shell/icons.tsx"
import { useKeys } from "../../shell/keys.ts"
import { useMay, type Api } from "../../shell/session.ts"
import type { ShownRun } from "../use-run.ts"
import { Feedback } from "./feedback.tsx"
import { ScoreList } from "./score-list.tsx"
import { ScoreNow } from "./score-now.tsx"
import detailCss from "../detail/detail.module.css"
import css from "./scores.module.css"

/** A judge takes seconds; who has asked looks at it. */
const [POLL_MS, SLOW_MS] = [2_000, 5_000]

export function ScoresTab({ api, shown: { view, story } }: { readonly api: Api; readonly shown: ShownRun }) {
  const { id: run, flow } = view
  const asked = useAsked(["scores", run], () => new ScoresClient(api.transport).of(run), { live: { pollMs: POLL_MS, slowMs: SLOW_MS } })
  const [open, setOpen] = useState<"score" | "dataset">()
  const [told, setTold] = useState("")
  const [mayWrite, mayAdd] = [useMay("runs:write"), useMay("catalog:write")]
  const isOver = story.ended !== undefined
  const isScored = isOver && story.status !== "canceled"
  const canAdd = mayAdd && isOver && view.parent === undefined
  useKeys("scores", {
    score: () => (mayWrite && isScored ? setOpen("score") : false),
    dataset: () => (canAdd ? setOpen("dataset") : false),
  })
  return (
    <>
      <div className={css.acts}>
        {mayWrite && isScored && (
          <button className="btn" type="button" onClick={() => setOpen("score")}>
            Score now <kbd>Q</kbd>
          </button>
        )}
        {canAdd && (
          <button className="btn" type="button" onClick={() => setOpen("dataset")}>
            <Icon name="plus" kind="i-s" />
            Add to dataset <kbd>D</kbd>
          </button>
        )}
      </div>
      <p className={told === "" ? "vh" : "note complete"} role="status">
        {told !== "" && <span>{told}</span>}
      </p>
      <AskedView what="the scores" of={asked}>
        {({ scores, feedback }) => (
          <>
            <section className={detailCss.blk}>
              <h3>Scores</h3>
              {scores.length === 0 ? (
                <p className="dim">
                  {isScored
                    ? "No scorer has looked at this run."
                    : isOver
                      ? "A canceled run is not scored."
                      : "A run is scored when it has ended."}
                </p>
              ) : (
                <ScoreList scores={newestOf(scores)} />
              )}
            </section>
            <Feedback api={api} run={run} said={feedback} again={asked.again} onUse={canAdd ? () => setOpen("dataset") : undefined} />
          </>
        )}
      </AskedView>
      {open === "score" && (
        <ScoreNow
          api={api}
          run={run}
          onClose={() => setOpen(undefined)}
          onAsked={(words) => {
            setTold(words)
            setOpen(undefined)
            asked.again()
          }}
        />
      )}
      {open === "dataset" && (
        <AddToDataset
          api={api}
          flow={flow}
          runs={[run]}
          isCorrected={asked.value?.feedback.some(({ correction }) => correction !== undefined) ?? false}
          onClose={() => setOpen(undefined)}
          onAdded={(words) => {
            setTold(words)
            setOpen(undefined)
          }}
        />
      )}
    </>
  )
}
