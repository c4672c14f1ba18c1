// Reduces a run for a caller who may command it and not read it [H1]: its status, and nothing that was said, given or written in it.

import type { RunView, ToldStep } from "./view.ts"

export function bareRun({ output: _output, error: _error, files: _files, ...view }: RunView): RunView {
  return {
    ...view,
    task: "",
    inputs: {},
    tags: [],
    steps: Object.fromEntries(Object.entries(view.steps).map(([id, s]) => [id, bareStep(s)])),
  }
}

const bareStep = ({ summary: _summary, outputs: _outputs, files: _files, ...step }: ToldStep): ToldStep => step
