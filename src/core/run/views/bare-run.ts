// Reduces a run to its status for a caller who may control it but not read it [H1]: without messages, inputs, outputs and files.

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
