// Finds text that looks like a template but is not: `{result.x.summary}` and `<step.summary>` [F43]. Linear in the text.

export interface Stray {
  readonly raw: string
  readonly offset: number
}

/** Single braces around an old-style form; `$\{task}` counts, `${{task}}` does not. */
export function bracesIn(text: string): Stray[] {
  return once(text, /(?<!\{)\{(?:task|(?:result|input|loop|fork|config|flow\.input)\.[A-Za-z0-9_.-]{1,200})\}(?!\})/g)
}

/** Double braces without a dollar sign: `inside` is the text between them. A literal `$${{` has one. */
export function doublesIn(text: string): (Stray & { readonly inside: string })[] {
  return once(text, /(?<!\$)\{\{-?[ \t]*[^{}\r\n]{1,200}\}\}/g).map((stray) => ({
    ...stray,
    inside: stray.raw.replace(/^\{\{-?\s*/, "").replace(/\s*-?\}\}$/, ""),
  }))
}

/** `<ID.FIELD>`, if `isStep` accepts ID. */
export function anglesIn(text: string, isStep: (id: string) => boolean): Stray[] {
  return once(text, /<[A-Za-z0-9][A-Za-z0-9_-]{0,200}\.[A-Za-z][A-Za-z0-9_]{0,100}>/g).filter(({ raw }) =>
    isStep(raw.slice(1, raw.indexOf("."))),
  )
}

function once(text: string, form: RegExp): Stray[] {
  const found = new Map<string, Stray>()
  for (const match of text.matchAll(form)) if (!found.has(match[0])) found.set(match[0], { raw: match[0], offset: match.index })
  return [...found.values()]
}
