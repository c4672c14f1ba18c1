// Names the ways in which a probed judge sees a run [V10], and the scorings of a probe.

/** As it is; without what it brought about; and so with a sentence that asks for the best level. */
export const PROBE_WAYS = ["plain", "empty", "urged"] as const
export type ProbeWay = (typeof PROBE_WAYS)[number]

/** No scorer has such a name. */
export const probeKey = (scorer: string, { id, way }: { readonly id: string; readonly way: ProbeWay }): string => `${scorer} ${id} ${way}`
