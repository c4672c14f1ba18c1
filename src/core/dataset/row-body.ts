// Reads a row of a dataset as its author writes it [V29], in a request or in a file.

import { z } from "zod"
import { GivenFiles } from "../run/given-file.ts"
import { MAX_GIVEN, objectWithin } from "../schema/bounded.ts"
import { later } from "../schema/later.ts"
import { MAX_CRITERIA } from "./row.ts"

const MAX_NAME = 200 // limit: characters of a row's name → 422 at the member
const MAX_MESSAGES = 1_000 // limit: messages of a row's conversation → 422 at the member
const MAX_ANSWERS = 100 // limit: answers of a row → 422 at the member

export const tag = z.string().min(1).max(100)

const Message = z.strictObject({ role: z.enum(["user", "assistant", "system"]), text: z.string().max(MAX_GIVEN) })

export const RowBody = later(() =>
  z.strictObject({
    name: z.string().max(MAX_NAME).exactOptional(),
    task: z.string().max(MAX_GIVEN).exactOptional(),
    inputs: objectWithin(MAX_GIVEN).exactOptional(),
    trigger: objectWithin(MAX_GIVEN).exactOptional(),
    files: GivenFiles.exactOptional(),
    conversation: z.array(Message).max(MAX_MESSAGES).exactOptional(),
    autonomous: z.boolean().exactOptional(),
    answers: z.array(objectWithin(MAX_GIVEN)).max(MAX_ANSWERS).exactOptional(),
    expect: objectWithin(MAX_GIVEN).exactOptional(),
    criteria: z.string().max(MAX_CRITERIA).exactOptional(),
    tags: z.array(tag).max(20).exactOptional(),
  }),
)
export type RowWish = z.input<typeof RowBody>
