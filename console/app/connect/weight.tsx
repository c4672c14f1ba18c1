// How much of a prompt something takes: a bar on the scale of its table, and the number.

export function Weight({ tokens, of }: { readonly tokens: number; readonly of: number }) {
  return (
    <>
      <Bar tokens={tokens} of={of} />
      {tokens.toLocaleString()}
    </>
  )
}

/** All that is chosen, of all that there is. */
export function TotalWeight({ tokens, of }: { readonly tokens: number; readonly of: number }) {
  return (
    <span className="wgt-l" role="img" aria-label={`${tokens.toLocaleString()} of ${of.toLocaleString()} tokens`}>
      <Bar tokens={tokens} of={of} kind="wgt big" />
    </span>
  )
}

function Bar({ tokens, of, kind = "wgt" }: { readonly tokens: number; readonly of: number; readonly kind?: string }) {
  const share = of === 0 ? 0 : Math.min(100, (100 * tokens) / of)
  return (
    <span className={kind} aria-hidden="true">
      <i style={{ width: `max(2px, ${share.toFixed(1)}%)` }} />
    </span>
  )
}
