// Finds the files that a page of the guide writes: those of its commands, and the programs that it only shows.

const WRITTEN = /^cat > (\S+) <<'(\w+)'\n([\s\S]*?)^\2$/gm
const SHOWN = /^```(tsx?)\n([\s\S]*?)^```$/gm

/** Path, or `block-N` of what is only shown → text. Of a path that is written twice, the last. */
export function filesIn(markdown: string): ReadonlyMap<string, string> {
  const written = [...markdown.matchAll(WRITTEN)].map(([, file = "", , text = ""]) => [file, text] as const)
  const shown = [...markdown.matchAll(SHOWN)].map(([, ending = "", text = ""], i) => [`block-${i + 1}.${ending}`, text] as const)
  return new Map([...written, ...shown])
}
