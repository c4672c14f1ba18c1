// QuestionsPort over the tenant's object. Nothing of it is asked twice: a question would be two.

import type { QuestionsPort } from "../../ports/questions.ts"
import { askingOnce, type TenantPortEnv } from "./tenant-port.ts"

export function questionsPort(env: TenantPortEnv, tenant: string): QuestionsPort {
  const once = askingOnce(env, tenant)
  return {
    ask: (args, by, act) => once((o) => o.questions.ask(args, by, act)),
    open: () => once((o) => o.questions.open()),
    find: (id) => once((o) => o.questions.find(id)),
    answer: (id, body, by) => once((o) => o.questions.answer(id, body, by)),
    wait: (id, ms) => once((o) => o.questions.wait(id, ms)),
  }
}
