// Derives types of rows from the document's shapes: for the API, and for ports, with times in milliseconds.

import type { z } from "zod"
import type { IsoTime } from "../core/text/iso-time.ts"

/** The row in the API. */
export type Shown<Shape extends z.ZodType> = Fixed<z.output<Shape>>
/** The row in ports. */
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
