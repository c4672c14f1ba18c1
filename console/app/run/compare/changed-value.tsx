// A value of both runs beside each other, with the words that differ marked.

import { useMemo } from "react"
import { visible } from "../../../../web/chat/wording.ts"
import { wordDiff, type Piece } from "../../../../web/run/word-diff.ts"
import css from "../compare.module.css"

interface Props {
  readonly name: string
  readonly a: unknown
  readonly b: unknown
}

/** Of each side, in characters. */
const MOST = 20_000

export function ChangedValue({ name, a, b }: Props) {
  const [ofA, ofB] = useMemo(() => wordDiff(visible(a).slice(0, MOST), visible(b).slice(0, MOST)), [a, b])
  return (
    <div className={css.two}>
      <Pieces pieces={ofA} label={`${name} in A`} was />
      <Pieces pieces={ofB} label={`${name} in B`} />
    </div>
  )
}

const Pieces = ({ pieces, label, was = false }: { readonly pieces: readonly Piece[]; readonly label: string; readonly was?: boolean }) => (
  <div className={css.fd}>
    <pre className="code wrap" tabIndex={0} role="region" aria-label={label}>
      {pieces.map(({ text, isChanged }, i) =>
        isChanged ? (
          <mark key={i} className={was ? css.was : css.is}>
            {text}
          </mark>
        ) : (
          text
        ),
      )}
    </pre>
  </div>
)
