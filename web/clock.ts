// Says a time of day as every page says it: `9:05 PM`, and on an axis `9 PM`.

type Time = number | string | Date

export const clockTime = (at: Time): string => new Date(at).toLocaleTimeString("en-US", { hour: "numeric", minute: "2-digit" })

/** For hours that begin; of zones with half hours, the minutes too. */
export function hourName(at: Time): string {
  const time = new Date(at)
  return time.getMinutes() === 0 ? time.toLocaleTimeString("en-US", { hour: "numeric" }) : clockTime(time)
}
