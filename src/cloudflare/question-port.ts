// QuestionsPort over the tenant's object. A fresh stub per call: one from before a reset is dead.

import type { QuestionAnswer, QuestionsPort, QuestionView } from "../ports/questions.ts"
import type { Env } from "./env.ts"
import type { TenantObject } from "./tenant-object.ts"

/** What RPC makes of recursive JSON types is not what they are. */
interface QuestionsRpc {
  askQuestion(...args: Parameters<QuestionsPort["ask"]>): Promise<QuestionView>
  openQuestions(): Promise<readonly QuestionView[]>
  findQuestion(id: string): Promise<QuestionView | undefined>
  answerQuestion(...args: Parameters<QuestionsPort["answer"]>): Promise<QuestionAnswer>
  waitQuestion(id: string, ms: number): Promise<QuestionView | undefined>
}

export function questionsPort(env: Env, tenant: string): QuestionsPort {
  const object = (): QuestionsRpc => env.TENANT.get(env.TENANT.idFromName(tenant)) as unknown as QuestionsRpc & TenantObject
  return {
    ask: (args, by) => object().askQuestion(args, by),
    open: () => object().openQuestions(),
    find: (id) => object().findQuestion(id),
    answer: (id, body, by) => object().answerQuestion(id, body, by),
    wait: (id, ms) => object().waitQuestion(id, ms),
  }
}
