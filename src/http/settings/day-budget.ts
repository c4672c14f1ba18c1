// Serves a tenant's budget [B4, B6]: GET and PUT /v1/settings/budget. PUT replaces it as a whole; `{}` removes all limits.

import { BudgetSetting } from "../../core/money/budget-setting.ts"
import { isoTime } from "../../core/text/iso-time.ts"
import { json } from "../middleware/body.ts"
import { routes, type Call } from "../middleware/call.ts"
import { refuse } from "../middleware/problem.ts"
import { settings } from "../../api/settings.ts"

export const getDayBudget = async (c: Call): Promise<Response> => c.json(await c.get("tenant").dayBudget.setting())

export async function readDayBudgetToday(c: Call): Promise<Response> {
  const { day, ...today } = await c.get("tenant").dayBudget.today()
  return c.json({ day: isoTime(day).slice(0, 10), ...today })
}

export async function putDayBudget(c: Call): Promise<Response> {
  const body = json(c, BudgetSetting)
  if (!body.ok) return refuse(c, body.error)
  await c.get("tenant").dayBudget.put(body.value)
  return getDayBudget(c)
}

export const DAY_BUDGET_ROUTES = routes(settings, { getDayBudget, putDayBudget, readDayBudgetToday })
