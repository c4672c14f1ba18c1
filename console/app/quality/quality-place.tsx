// /console/quality/TAB: experiments, scorers, datasets and the queue of grades; one of them is TAB/NAME.

import { useEffect } from "react"
import { later } from "../parts/later.ts"
import { addressOf, go } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import { QUALITY_TABS } from "./quality-tabs.tsx"

const ExperimentsPage = later(async () => (await import("./experiments/experiments-page.tsx")).ExperimentsPage)
const ExperimentPage = later(async () => (await import("./experiments/experiment-page.tsx")).ExperimentPage)
const ScorersPage = later(async () => (await import("./scorers/scorers-page.tsx")).ScorersPage)
const ScorerPage = later(async () => (await import("./scorers/scorer-page.tsx")).ScorerPage)
const DatasetsPage = later(async () => (await import("./datasets/datasets-page.tsx")).DatasetsPage)
const DatasetPage = later(async () => (await import("./datasets/dataset-page.tsx")).DatasetPage)
const GradingPage = later(async () => (await import("./grading/grading-page.tsx")).GradingPage)

export function QualityPlace({ api, rest: [tab, name] }: PlaceProps) {
  const isKnown = QUALITY_TABS.some((one) => one.name === tab)
  useEffect(() => {
    if (!isKnown) go(addressOf("quality", QUALITY_TABS[0].name), "replace")
  }, [isKnown])
  switch (tab) {
    case "experiments":
      return name === undefined ? <ExperimentsPage api={api} /> : <ExperimentPage key={name} api={api} id={name} />
    case "scorers":
      return name === undefined ? <ScorersPage api={api} /> : <ScorerPage key={name} api={api} name={name} />
    case "datasets":
      return name === undefined ? <DatasetsPage api={api} /> : <DatasetPage key={name} api={api} name={name} />
    case "grading":
      return <GradingPage api={api} />
    default:
      return <main id="main" aria-busy="true" />
  }
}
