// When schedules fire: five fields, zones, and the nights of clock changes [W5].

import { Cron } from "croner"
import { describe, expect, test } from "vitest"
import { cronFaults, nextFires } from "../../../src/engine/time/cron.ts"
import { instantOf, wallAt } from "../../../src/engine/time/zone.ts"

const next = (cron: string, zone: string, from: string, count: number): string[] =>
  nextFires(cron, zone, Date.parse(from), count).map((at) => new Date(at).toISOString())

describe("fields", () => {
  test.each([
    ["*/20 * * * *", "UTC", "2026-01-01T00:00:00Z", ["2026-01-01T00:20:00.000Z", "2026-01-01T00:40:00.000Z", "2026-01-01T01:00:00.000Z"]],
    ["0 0 1 1 *", "Asia/Tokyo", "2026-06-01T00:00:00Z", ["2026-12-31T15:00:00.000Z"]],
    ["0 0 29 2 *", "UTC", "2026-06-01T00:00:00Z", ["2028-02-29T00:00:00.000Z", "2032-02-29T00:00:00.000Z"]],
    // A day of the month and a day of the week: either matches, as in cron.
    ["0 0 13 * FRI", "UTC", "2026-11-01T00:00:00Z", ["2026-11-06T00:00:00.000Z", "2026-11-13T00:00:00.000Z", "2026-11-20T00:00:00.000Z"]],
    ["0 9 * jan-feb mon", "UTC", "2026-02-20T00:00:00Z", ["2026-02-23T09:00:00.000Z", "2027-01-04T09:00:00.000Z"]],
    ["0 0 * * 7", "UTC", "2026-11-20T00:00:00Z", ["2026-11-22T00:00:00.000Z"]],
    ["59 23 31 12 *", "Pacific/Kiritimati", "2026-01-01T00:00:00Z", ["2026-12-31T09:59:00.000Z"]],
    [
      "15,45 8-10/2 * * *",
      "Asia/Kathmandu",
      "2026-01-01T00:00:00Z",
      ["2026-01-01T02:30:00.000Z", "2026-01-01T03:00:00.000Z", "2026-01-01T04:30:00.000Z"],
    ],
  ])("[W5] %s in %s", (cron, zone, from, want) => {
    expect(next(cron, zone, from, want.length)).toEqual(want)
  })

  test("[W5] the starting instant is not in the result", () => {
    expect(next("0 12 * * *", "UTC", "2026-01-01T12:00:00Z", 1)).toEqual(["2026-01-02T12:00:00.000Z"])
    expect(next("0 12 * * *", "UTC", "2026-01-01T11:59:59.999Z", 1)).toEqual(["2026-01-01T12:00:00.000Z"])
  })

  test.each([
    "61 * * * *",
    "* * *",
    "* * * * * *",
    "",
    "@daily",
    "0 0 L * *",
    "0 0 * * MON#2",
    "0 0 ? * *",
    "5-1 * * * *",
    "*/0 * * * *",
    "* * 0 * *",
    "* 24 * * *",
    "* * * 13 *",
    "* * * * 8",
    "-1 * * * *",
    "1,,2 * * * *",
    "a b c d e",
    "0 0 30 2 *",
    "0 0 31 4,6,9,11 *",
    `${"1,".repeat(200)}1 * * * *`,
  ])("[W5] %j is refused", (cron) => {
    expect(cronFaults(cron, "UTC").map((f) => f.field)).toEqual(["cron"])
  })

  test.each([
    ["0 0 0 * *", "0 is not a valid day of the month: it is a number from 1 to 31"],
    ["60 * * * *", "60 is not a valid minute: it is a number from 0 to 59"],
    ["0 12-24 * * *", "24 is not a valid hour: it is a number from 0 to 23"],
    ["0 0 1 0 *", "0 is not a valid month: it is a number from 1 to 12"],
    ["0 0 * * 8", "8 is not a valid day of the week: it is a number from 0 to 7"],
    ["-1 * * * *", '"-1" is not a valid minute: use a number, a range such as 1-5, or "*", and a step such as */2'],
    ["0 0 1,,2 * *", '"" is not a valid day of the month: use a number, a range such as 1-5, or "*", and a step such as */2'],
  ])("[W5] %j is refused with what is wrong in it", (cron, message) => {
    expect(cronFaults(cron, "UTC")).toEqual([{ field: "cron", message }])
  })

  test.each(["*/15 9-17/2 1,15 JAN-MAR mon-fri", "5-59/20 0 31 12 7", "59 23 * * 0-6"])("[W5] %j is taken", (cron) => {
    expect(cronFaults(cron, "UTC")).toEqual([])
  })

  test.each(["Mars/Olympus", "", "+01:00", "Europe/Berlin ", "__proto__", "UTC; DROP"])("[W5] the zone %j is refused", (zone) => {
    expect(cronFaults("* * * * *", zone).map((f) => f.field)).toEqual(["zone"])
  })
})

describe("clock changes", () => {
  test.each([
    // Forward: 02:00 becomes 03:00 at 01:00 UTC on 29 March 2026.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"]],
    ["0 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00.000Z", "2026-03-30T00:00:00.000Z"]],
    ["0 3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00.000Z", "2026-03-30T01:00:00.000Z"]],
    [
      "*/20 1-3 * * *",
      "Europe/Berlin",
      "2026-03-29T00:30:00Z",
      ["2026-03-29T00:40:00.000Z", "2026-03-29T01:00:00.000Z", "2026-03-29T01:20:00.000Z"],
    ],
    ["30 2 29 3 *", "Europe/Berlin", "2026-03-29T01:00:00Z", ["2027-03-29T00:30:00.000Z"]],
    ["30 2 * * *", "America/New_York", "2026-03-08T00:00:00Z", ["2026-03-08T07:00:00.000Z", "2026-03-09T06:30:00.000Z"]],
    // Midnight itself does not exist.
    ["0 0 * * *", "America/Asuncion", "2024-10-05T12:00:00Z", ["2024-10-06T04:00:00.000Z", "2024-10-07T03:00:00.000Z"]],
    // Half an hour only.
    ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", ["2026-10-03T15:30:00.000Z", "2026-10-04T15:15:00.000Z"]],
    // A whole day: 30 December 2011 did not exist.
    ["0 12 30 12 *", "Pacific/Apia", "2011-12-01T00:00:00Z", ["2011-12-30T10:00:00.000Z", "2012-12-29T22:00:00.000Z"]],
    // Back: 02:00–03:00 occurs twice, at 00:00 UTC and at 01:00 UTC on 25 October 2026.
    ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"]],
    ["30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z", ["2026-10-26T01:30:00.000Z"]],
    ["30 2 * * *", "Europe/Berlin", "2026-10-25T01:10:00Z", ["2026-10-26T01:30:00.000Z"]],
    [
      "*/30 * * * *",
      "Europe/Berlin",
      "2026-10-24T23:45:00Z",
      ["2026-10-25T00:00:00.000Z", "2026-10-25T00:30:00.000Z", "2026-10-25T02:00:00.000Z"],
    ],
    ["15 * * * *", "Europe/Berlin", "2026-10-25T01:20:00Z", ["2026-10-25T02:15:00.000Z"]],
    ["30 1 * * *", "America/New_York", "2026-11-01T00:00:00Z", ["2026-11-01T05:30:00.000Z", "2026-11-02T06:30:00.000Z"]],
    ["45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", ["2026-04-04T14:45:00.000Z", "2026-04-05T15:15:00.000Z"]],
  ])("[W5] %s in %s from %s", (cron, zone, from, want) => {
    expect(next(cron, zone, from, want.length)).toEqual(want)
  })

  test("[W5] a daily time fires once a day, all year, in every zone", () => {
    for (const zone of ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca", "America/Havana", "Asia/Beirut"]) {
      for (const cron of ["0 0 * * *", "30 0 * * *", "30 1 * * *", "30 2 * * *", "0 3 * * *"]) {
        const fires = nextFires(cron, zone, Date.parse("2026-01-01T12:00:00Z"), 365)
        const days = new Set(fires.map((at) => Math.floor(wallAt(zone, at) / 86_400_000)))
        expect([zone, cron, days.size]).toEqual([zone, cron, 365])
        expect(fires).toEqual(fires.toSorted((a, b) => a - b))
      }
    }
  })

  test("[W5] single steps and one batch give the same result, from any instant", () => {
    for (const [zone, from] of [
      ["Europe/Berlin", "2026-03-28T22:00:00Z"],
      ["Europe/Berlin", "2026-10-24T22:00:00Z"],
      ["Australia/Lord_Howe", "2026-04-04T12:00:00Z"],
      ["Pacific/Apia", "2011-12-29T20:00:00Z"],
    ] as const) {
      const start = Date.parse(from)
      const all = nextFires("*/15 * * * *", zone, start, 40)
      for (let at = start; at < start + 6 * 3_600_000; at += 421_000)
        expect(nextFires("*/15 * * * *", zone, at, 1)[0]).toBe(all.find((fire) => fire > at))
    }
  })

  test("[W5] away from clock changes the result equals croner's", () => {
    for (const zone of ["Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "UTC"])
      for (const cron of ["*/7 * * * *", "30 9 * * 1-5", "0 0 1 * *"]) {
        const theirs = new Cron(cron, { timezone: zone, paused: true })
          .nextRuns(20, new Date("2026-05-01T00:00:00Z"))
          .map((d) => d.getTime())
        // December has no clock change in any of these zones.
        const summer = theirs.filter((at) => at < Date.parse("2026-10-20T00:00:00Z"))
        expect(nextFires(cron, zone, Date.parse("2026-05-01T00:00:00Z"), summer.length)).toEqual(summer)
      }
  })

  test("[W5] a wall time and its instant map to each other", () => {
    for (let at = Date.parse("2026-01-01T00:00:00Z"); at < Date.parse("2027-01-01T00:00:00Z"); at += 3_607_000 * 3) {
      const back = instantOf("America/Havana", wallAt("America/Havana", at))
      expect(back === at || wallAt("America/Havana", back) === wallAt("America/Havana", at)).toBe(true)
    }
  })
})
