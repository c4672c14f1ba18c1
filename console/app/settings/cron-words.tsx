// A cron expression in words. The library comes with the first; until then, and for what it cannot read, the expression stands alone.

import { useAsked } from "../parts/asked.ts"

export function CronWords({ cron }: { readonly cron: string }) {
  const words = useAsked(["once", "cron in words", cron], async () => {
    const { default: cronstrue } = await import("cronstrue")
    try {
      return cronstrue.toString(cron, { verbose: true })
    } catch {
      return ""
    }
  })
  return words.value === undefined || words.value === "" ? null : <span>{words.value}</span>
}
