// An experiment under way: how many trials are over. Its scores come with the end, so that nobody stops it when it looks good.

import type { ExperimentRowShown, ExperimentShown } from "../../../../src/api/doc/experiments.doc.ts"
import type { ExperimentsClient } from "../../../../src/client/experiments.ts"
import { useAsked } from "../../parts/asked.ts"
import { counted } from "../../parts/figures.ts"
import { Icon } from "../../shell/icons.tsx"
import css from "./experiment.module.css"

const LIVE = { pollMs: 2_000, slowMs: 4_000 }
/** More rows are counted by what these show. */
const MOST = 1_000

interface Props {
  readonly client: ExperimentsClient
  readonly experiment: ExperimentShown
  readonly onStop: () => void
}

export function Under({ client, experiment: { id, rows, same }, onStop }: Props) {
  const { value } = useAsked(["experiments", id, "rows"], () => firstRows(client, id), { live: LIVE })
  const over = value?.filter((row) => row.same || isOver(row)).length ?? 0
  const failed = value?.flatMap((row) => row.trials).filter(({ state }) => state === "failed").length ?? 0
  return (
    <section className="panel" aria-label="Progress">
      <div className={css.under}>
        <p className="bar">
          <b>
            {over} of {counted(rows, "row")}
          </b>
          <span className="dim">{same} need no model</span>
          <span className="grow" />
          <button className="btn danger" type="button" onClick={onStop}>
            <Icon name="stop" kind="i-s" />
            Stop <kbd>S</kbd>
          </button>
        </p>
        <progress className={css.progress} max={Math.max(1, rows)} value={over} aria-label={`${over} of ${counted(rows, "row")}`} />
        <p className="small mid">
          Scores are shown at the end, so that nobody stops it when it looks good.
          {failed > 0 && ` ${counted(failed, "trial")} failed: that counts against its variant.`}
        </p>
      </div>
    </section>
  )
}

const isOver = ({ trials }: ExperimentRowShown): boolean =>
  trials.length > 0 && trials.every(({ state }) => state === "succeeded" || state === "failed" || state === "stopped")

async function firstRows(client: ExperimentsClient, id: string): Promise<readonly ExperimentRowShown[]> {
  const found: ExperimentRowShown[] = []
  for await (const row of client.rows(id)) {
    found.push(row)
    if (found.length >= MOST) break
  }
  return found
}
