// Turns a flow's text into a graph, in turns with other work [N4].

import { graphView, type GraphView } from "../../core/flow/check/graph-view.ts"
import type { Diagnostic } from "../../core/diagnostic.ts"
import { readFlow } from "../../engine/catalog/check/language.ts"
import { Breath, PARSED } from "../../ports/breath.ts"

/** Work per character of drawing: a tenth of parsing it. */
const DRAWN = PARSED / 10

/** The graph of a flow; absent if the flow is invalid, and the diagnostics say why. */
export async function drawn(
  content: string,
  id: string,
): Promise<{ readonly graph?: GraphView; readonly diagnostics: readonly Diagnostic[] }> {
  const breath = new Breath()
  const { value: flow, diagnostics } = await breath.compute(content.length * PARSED, () => readFlow(content, id))
  if (!flow) return { diagnostics }
  return { graph: await breath.compute(content.length * DRAWN, () => graphView(flow)), diagnostics }
}
