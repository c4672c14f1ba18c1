// Derives types of rows from a shape of the document: as the API answers them, and as ports have them, with times in milliseconds.

import type { z } from "zod"
import type { IsoTime } from "../core/text/iso-time.ts"

/** As the API answers it. */
export type Shown<Shape extends z.ZodType> = Fixed<z.output<Shape>>
/** As ports have it. */
export type Row<Shape extends z.ZodType> = Inside<z.output<Shape>>

type Fixed<T> = T extends string
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Fixed<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Fixed<T[Key]> }
      : T
type Inside<T> = T extends string
  ? keyof IsoTime extends keyof T
    ? number
    : T
  : T extends readonly (infer Item)[]
    ? readonly Inside<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Inside<T[Key]> }
      : T
