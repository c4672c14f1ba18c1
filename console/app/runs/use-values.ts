// Says what there is of each filter, for suggestions while a query is written: flows, hooks and schedules as the server has them, asked once somebody
// writes; tags, threads and keys as the rows have them.

import { useMemo } from "react"
import { Scorers } from "../../../src/client/scorers.ts"
import { Hooks, Schedules } from "../../../src/client/triggers.ts"
import type { Values } from "../../../web/runs/suggest.ts"
import { useAsked } from "../parts/asked.ts"
import type { Api } from "../shell/session.ts"
import type { Row } from "./row.ts"

const NOTHING = ["once", "nothing"] as const
const nothing = (): Promise<never[]> => Promise.resolve([])

/** Rows that are looked through. */
const MOST_ROWS = 500

export function useFlowNames(api: Api, isOn: boolean): readonly string[] | undefined {
  const { value } = useAsked(isOn ? ["catalog", "flows"] : NOTHING, async () =>
    isOn ? (await api.catalog.list()).data.filter(({ kind }) => kind === "flow") : nothing(),
  )
  return useMemo(() => value?.map(({ id }) => id), [value])
}

const useSchedules = (api: Api, isOn: boolean) =>
  useAsked(isOn ? ["settings", "schedules"] : NOTHING, () => (isOn ? new Schedules(api.transport).list().all() : nothing())).value

const useHooks = (api: Api, isOn: boolean) =>
  useAsked(isOn ? ["settings", "hooks"] : NOTHING, () => (isOn ? new Hooks(api.transport).list().all() : nothing())).value

const useScorers = (api: Api, isOn: boolean) =>
  useAsked(isOn ? ["catalog", "scorers"] : NOTHING, () => (isOn ? new Scorers(api.transport).list().all() : nothing())).value

/** The id of a hook or schedule → what people call it. Asked only where a row was started by one. */
export function useTriggerNames(api: Api, rows: readonly Row[] | undefined): ReadonlyMap<string, string> {
  const hooks = useHooks(api, rows?.some(({ trigger }) => trigger.hook !== undefined) === true)
  const schedules = useSchedules(api, rows?.some(({ trigger }) => trigger.schedule !== undefined) === true)
  return useMemo(
    () =>
      new Map([
        ...(hooks ?? []).flatMap(({ id, name }) => (name === undefined ? [] : [[id, name] as const])),
        ...(schedules ?? []).map(({ id, name, cron }) => [id, name ?? cron] as const),
      ]),
    [hooks, schedules],
  )
}

export function useValues(api: Api, rows: readonly Row[] | undefined, isOn: boolean): Values {
  const flows = useFlowNames(api, isOn)
  const [hooks, schedules] = [useHooks(api, isOn), useSchedules(api, isOn)]
  const scorers = useScorers(api, isOn)
  return useMemo(() => {
    const seen = rows?.slice(0, MOST_ROWS) ?? []
    const of = (values: readonly (string | undefined)[]) =>
      [...new Set(values.filter((value) => value !== undefined))].map((value) => ({ value }))
    return {
      flow: of(flows ?? seen.map(({ flow }) => flow)),
      tag: of(seen.flatMap(({ tags }) => tags)),
      thread: of(seen.map(({ thread }) => thread)),
      session: of(seen.map(({ session }) => session)),
      api_key: of(seen.map(({ trigger }) => trigger.key)),
      scorer: [...(scorers ?? []).map(({ name, description }) => ({ value: name, note: description })), { value: "feedback" }],
      hook: (hooks ?? []).map(({ id, name, flow }) => ({ value: id, note: name ?? flow })),
      schedule: (schedules ?? []).map(({ id, name, flow, cron }) => ({ value: id, note: name ?? `${flow}, ${cron}` })),
    }
  }, [rows, flows, hooks, schedules, scorers])
}
