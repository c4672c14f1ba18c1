// A cron expression in words. The library comes with the first; until then, and for what it cannot read, the expression stands alone.

import { useAsked } from "./asked.ts"

interface Props {
  readonly cron: string
  /** The expression does not stand beside it. */
  readonly isAlone?: boolean
}

export function CronWords({ cron, isAlone = false }: Props) {
  const words = useAsked(["once", "cron in words", cron], async () => {
    const { default: cronstrue } = await import("cronstrue")
    try {
      return cronstrue.toString(cron, { verbose: true })
    } catch {
      return ""
    }
  })
  if (words.value === undefined || words.value === "") return isAlone ? cron : null
  return <span title={isAlone ? cron : undefined}>{words.value}</span>
}
