// Which queries execute_query accepts [C42, T43].

import { describe, expect, test } from "vitest"
import { selectOnly, sqlName } from "../../../src/core/text/select-only.ts"

const GOOD = [
  "select 1",
  "SELECT a, b FROM t WHERE c = 'x; DROP TABLE t' -- ; delete",
  "with x as (select 1 as n) select n from x;",
  "SELECT ';' AS \"update\", [delete], `drop` FROM t; -- done",
  "SELECT /* ; insert */ (1 + (2)) ;  ",
  "SELECT replace(a, 'x', 'y') FROM t",
  "SELECT 'it''s' , \"a\"\"b\"",
]
const BAD = [
  "",
  "  -- nothing",
  "DELETE FROM t",
  "INSERT INTO t VALUES (1)",
  "UPDATE t SET a = 1",
  "DROP TABLE t",
  "PRAGMA table_info(t)",
  "ATTACH 'x' AS y",
  "VACUUM",
  "EXPLAIN SELECT 1",
  "VALUES (1)",
  "REPLACE INTO t VALUES (1)",
  "SELECT 1; DELETE FROM t",
  "SELECT 1; SELECT 2",
  "SELECT 1;;",
  "WITH x AS (SELECT 1) DELETE FROM t",
  "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
  "with x as (select 1) UpDaTe t set a = 1",
  "SELECT 1) ; DELETE FROM t; SELECT * FROM (SELECT 1",
  "SELECT 1) UNION SELECT * FROM (SELECT 2",
  "SELECT (1",
  "SELECT 'open",
  'SELECT "open',
  "SELECT `open",
  "SELECT [open",
  "SELECT 1 /* open",
  "SELECT load_extension('x')",
  "SELECT 1\0",
  "/**/DELETE/**/FROM t",
  "SELECT 'a' 'b'; --\nDELETE FROM t",
  `SELECT ${"1,".repeat(6_000)} 1`,
]

describe("one SELECT", () => {
  test.each(GOOD)("[T43] %s", (sql) => expect(selectOnly(sql)).toMatchObject({ ok: true }))
  test.each(BAD)("[T43] refused: %s", (sql) => expect(selectOnly(sql)).toMatchObject({ ok: false }))

  test("[T43] loses its semicolon and the text after it", () =>
    expect(selectOnly("SELECT 1 ; -- x")).toEqual({ ok: true, value: "SELECT 1" }))
  test("[T43] a quoted name stays one name, whatever it contains", () => expect(sqlName('a"; DROP')).toBe('"a""; DROP"'))
})
