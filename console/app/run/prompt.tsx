// What a model was asked with, in the order in which it is sent; of the run, what it was started with.

import type { RunView } from "../../../src/core/run/views/view.ts"
import { Code } from "../parts/code.tsx"
import { tokens } from "../parts/figures.ts"
import type { Pass } from "../../../web/run/story.ts"

export function Prompt({ view, pass }: { readonly view: RunView; readonly pass?: Pass | undefined }) {
  if (!pass)
    return (
      <>
        <section className="blk">
          <h3>Task</h3>
          <Code value={view.task} label="Task" />
        </section>
        <section className="blk">
          <h3>Inputs</h3>
          <Code value={view.inputs} label="Inputs" />
        </section>
        <section className="blk">
          <h3>Definitions</h3>
          <Code value={view.pinned} label="Definitions" />
        </section>
      </>
    )
  const last = pass.turns.findLast(({ tokens: used }) => used > 0)
  const layers = [
    ["What comes before the agent's prompt", pass.preamble],
    ["The agent's prompt", pass.body],
    ["Files of the context", pass.context],
    ["Task", pass.task],
  ] as const
  return (
    <>
      <dl className="kv">
        <dt>Agent</dt>
        <dd>{pass.agent ?? "none"}</dd>
        <dt>Model</dt>
        <dd className="mono">{last?.model ?? pass.model ?? "–"}</dd>
        <dt>Tools</dt>
        <dd>{pass.tools.length}</dd>
        {last && (
          <>
            <dt>Last turn</dt>
            <dd>
              {tokens(last.tokens)} tokens{last.cached > 0 && `, ${tokens(last.cached)} of them from the cache`}
            </dd>
          </>
        )}
        {last?.request !== undefined && (
          <>
            <dt>Request</dt>
            <dd className="id">{last.request.slice(0, 16)}</dd>
          </>
        )}
      </dl>
      {layers.map(
        ([name, text]) =>
          text !== undefined &&
          text !== "" && (
            <section className="blk" key={name}>
              <h3>
                {name}, {text.length.toLocaleString()} characters
              </h3>
              <Code value={text} label={name} />
            </section>
          ),
      )}
      {pass.inputs !== undefined && (
        <section className="blk">
          <h3>Inputs</h3>
          <Code value={pass.inputs} label="Inputs" />
        </section>
      )}
    </>
  )
}
